// The loop over epoll: for each response a read and a write, for each batch of them an
// epoll_wait.
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "bare.h"

enum { batch = 512 };

static void request(const struct load *l, int i) {
    check((int)write(l->sockets[i], l->request, l->request_size), "write");
}

long load_epoll(const struct load *l) {
    struct epoll_event events[batch];
    char response[4096];
    long responses = 0;
    size_t *received = calloc((size_t)l->connections, sizeof *received);
    int loop = check(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    for (int i = 0; i < l->connections; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.u32 = (unsigned)i};
        check(epoll_ctl(loop, EPOLL_CTL_ADD, l->sockets[i], &e), "epoll_ctl");
        request(l, i);
    }
    while (now() < l->deadline) {
        int n = check(epoll_wait(loop, events, batch, 100), "epoll_wait");
        for (int e = 0; e < n; e++) {
            int i = (int)events[e].data.u32;
            int bytes = check((int)read(l->sockets[i], response, sizeof response), "read");
            if (!bytes) {
                fprintf(stderr, "bare: the server has closed a connection\n");
                exit(1);
            }
            if (answered(&received[i], bytes, l->response_size)) {
                responses++;
                request(l, i);
            }
        }
    }
    return responses;
}
