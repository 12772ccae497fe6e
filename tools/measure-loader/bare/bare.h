// What the two loops of the bare loader share.
#ifndef BARE_H
#define BARE_H

#include <stddef.h>

struct load {
    int connections;
    int *sockets;           // connected
    const char *request;
    size_t request_size;
    size_t response_size;   // of every response
    double deadline;        // on the monotonic clock, in seconds
};

// Each loads in a closed loop until the deadline and returns the number of responses.
long load_epoll(const struct load *l);
long load_uring(const struct load *l);

double now(void);

// check ends the program with errno's text where a call has failed, which returned < 0.
int check(int result, const char *call);

// answered adds to the bytes that a connection has received, and says whether that ends a
// response.
static inline int answered(size_t *received, int bytes, size_t response_size) {
    *received += (size_t)bytes;
    if (*received < response_size)
        return 0;
    *received -= response_size;
    return 1;
}

#endif
