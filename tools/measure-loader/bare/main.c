// Bare loads an HTTP server from one thread with as little as can be done: it reads no
// response, it counts the bytes of them, all of the length of the first; it takes no time of
// a request. So it says what the kernel takes, to which a loader can only add.
//
//   bare epoll|uring ADDRESS PORT CONNECTIONS SECONDS
//
// It prints the number of responses.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bare.h"

int check(int result, const char *call) {
    if (result < 0) {
        perror(call);
        exit(1);
    }
    return result;
}

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int dial(const struct sockaddr_in *to) {
    int one = 1, s = check(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
    check(connect(s, (const struct sockaddr *)to, sizeof *to), "connect");
    check(setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one), "setsockopt TCP_NODELAY");
    return s;
}

int main(int argc, char **argv) {
    int uring = argc > 1 && !strcmp(argv[1], "uring");
    if (argc != 6 || (!uring && strcmp(argv[1], "epoll")) || atoi(argv[4]) < 1) {
        fprintf(stderr, "usage: bare epoll|uring ADDRESS PORT CONNECTIONS SECONDS\n");
        return 2;
    }
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[3]))};
    if (inet_pton(AF_INET, argv[2], &to.sin_addr) != 1) {
        fprintf(stderr, "bare: %s is no IPv4 address\n", argv[2]);
        return 2;
    }
    char request[256], response[4096];
    struct load l = {.connections = atoi(argv[4]), .request = request};
    l.request_size = (size_t)snprintf(request, sizeof request, "GET /health HTTP/1.1\r\nHost: %s:%s\r\n\r\n", argv[2], argv[3]);

    struct rlimit files;
    check(getrlimit(RLIMIT_NOFILE, &files), "getrlimit");
    files.rlim_cur = files.rlim_max;
    check(setrlimit(RLIMIT_NOFILE, &files), "setrlimit");
    l.sockets = calloc((size_t)l.connections, sizeof *l.sockets);
    for (int i = 0; i < l.connections; i++)
        l.sockets[i] = dial(&to);

    check((int)write(l.sockets[0], request, l.request_size), "write");
    l.response_size = (size_t)check((int)read(l.sockets[0], response, sizeof response), "read");
    if (!l.response_size || memcmp(response, "HTTP/1.1 200", 12)) {
        fprintf(stderr, "bare: the first response is not HTTP/1.1 200\n");
        return 1;
    }
    l.deadline = now() + atof(argv[5]);
    printf("%ld\n", 1 + (uring ? load_uring : load_epoll)(&l));
    return 0;
}
