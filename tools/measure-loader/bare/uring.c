// The loop over io_uring, with all that makes it fast: each socket has one receive that
// stays (multishot) and takes its buffers from a shared ring; a send reports only its
// failure; files are registered; and completions are worked off in the one system call of
// a batch. So a response costs no call of its own. Needs Linux 6.1.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bare.h"

enum { entries = 4096, buffers = 8192, buffer_size = 512, send_failed = 1u << 31 };

struct ring {
    int fd;
    unsigned *sq_tail, *cq_head, *cq_tail, sq_mask, cq_mask, queued;
    struct io_uring_sqe *sqes;
    struct io_uring_cqe *cqes;
    struct io_uring_buf_ring *free;
    char *memory;
};

static void *map(int fd, size_t size, off_t offset) {
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, offset);
    if (at == MAP_FAILED)
        check(-1, "mmap");
    return at;
}

static void give_buffer(struct ring *r, unsigned short id) {
    unsigned short tail = r->free->tail;
    struct io_uring_buf *b = &r->free->bufs[tail & (buffers - 1)];
    b->addr = (unsigned long)(r->memory + (size_t)id * buffer_size);
    b->len = buffer_size;
    b->bid = id;
    atomic_store_explicit((_Atomic unsigned short *)&r->free->tail, (unsigned short)(tail + 1), memory_order_release);
}

static void set_up(struct ring *r, const struct load *l) {
    struct io_uring_params p = {
        .flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE,
        .cq_entries = 32768,
    };
    r->fd = check((int)syscall(SYS_io_uring_setup, entries, &p), "io_uring_setup");
    // Submissions and completions share one mapping since Linux 5.4.
    size_t sq_end = p.sq_off.array + p.sq_entries * sizeof(unsigned), cq_end = p.cq_off.cqes + p.cq_entries * sizeof *r->cqes;
    char *sq = map(r->fd, sq_end > cq_end ? sq_end : cq_end, IORING_OFF_SQ_RING);
    r->sqes = map(r->fd, p.sq_entries * sizeof *r->sqes, IORING_OFF_SQES);
    r->sq_tail = (unsigned *)(sq + p.sq_off.tail);
    r->sq_mask = p.sq_entries - 1;
    r->cq_head = (unsigned *)(sq + p.cq_off.head);
    r->cq_tail = (unsigned *)(sq + p.cq_off.tail);
    r->cq_mask = p.cq_entries - 1;
    r->cqes = (struct io_uring_cqe *)(sq + p.cq_off.cqes);
    unsigned *array = (unsigned *)(sq + p.sq_off.array);
    for (unsigned i = 0; i < p.sq_entries; i++)
        array[i] = i;

    check((int)syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_FILES, l->sockets, l->connections), "io_uring_register files");
    r->free = map(-1, buffers * sizeof(struct io_uring_buf), 0);
    r->memory = map(-1, (size_t)buffers * buffer_size, 0);
    struct io_uring_buf_reg reg = {.ring_addr = (unsigned long)r->free, .ring_entries = buffers};
    check((int)syscall(SYS_io_uring_register, r->fd, IORING_REGISTER_PBUF_RING, &reg, 1), "io_uring_register buffers");
    for (unsigned short i = 0; i < buffers; i++)
        give_buffer(r, i);
}

// enter submits what is queued, and waits for so many completions.
static void enter(struct ring *r, unsigned wait) {
    int submitted = (int)syscall(SYS_io_uring_enter, r->fd, r->queued, wait, IORING_ENTER_GETEVENTS, NULL, 0);
    if (submitted < 0 && errno == EINTR)
        return;
    r->queued -= (unsigned)check(submitted, "io_uring_enter");
}

static struct io_uring_sqe *queue(struct ring *r, unsigned char operation, int i) {
    while (r->queued == entries)
        enter(r, 0);
    struct io_uring_sqe *s = &r->sqes[*r->sq_tail & r->sq_mask];
    memset(s, 0, sizeof *s);
    s->opcode = operation;
    s->fd = i; // the index among the registered files
    s->flags = IOSQE_FIXED_FILE;
    s->user_data = (unsigned)i;
    atomic_store_explicit((_Atomic unsigned *)r->sq_tail, *r->sq_tail + 1, memory_order_release);
    r->queued++;
    return s;
}

static void receive(struct ring *r, int i) {
    struct io_uring_sqe *s = queue(r, IORING_OP_RECV, i);
    s->ioprio = IORING_RECV_MULTISHOT;
    s->flags |= IOSQE_BUFFER_SELECT;
}

static void request(struct ring *r, const struct load *l, int i) {
    struct io_uring_sqe *s = queue(r, IORING_OP_SEND, i);
    s->addr = (unsigned long)l->request;
    s->len = (unsigned)l->request_size;
    s->msg_flags = MSG_WAITALL;
    s->flags |= IOSQE_CQE_SKIP_SUCCESS;
    s->user_data |= send_failed;
}

long load_uring(const struct load *l) {
    struct ring r = {0};
    long responses = 0;
    size_t *received = calloc((size_t)l->connections, sizeof *received);
    set_up(&r, l);
    for (int i = 0; i < l->connections; i++) {
        receive(&r, i);
        request(&r, l, i);
    }
    while (now() < l->deadline) {
        enter(&r, 1);
        unsigned head = *r.cq_head;
        unsigned tail = atomic_load_explicit((_Atomic unsigned *)r.cq_tail, memory_order_acquire);
        for (; head != tail; head++) {
            struct io_uring_cqe *c = &r.cqes[head & r.cq_mask];
            int i = (int)(c->user_data & ~send_failed), full = c->res == -ENOBUFS;
            if ((c->user_data & send_failed) || (c->res <= 0 && !full)) {
                fprintf(stderr, "bare: %s: %s\n", c->user_data & send_failed ? "send" : "receive", c->res ? strerror(-c->res) : "the server has closed a connection");
                exit(1);
            }
            if (c->flags & IORING_CQE_F_BUFFER)
                give_buffer(&r, (unsigned short)(c->flags >> IORING_CQE_BUFFER_SHIFT));
            if (!(c->flags & IORING_CQE_F_MORE))
                receive(&r, i);
            if (!full && answered(&received[i], c->res, l->response_size)) {
                responses++;
                request(&r, l, i);
            }
        }
        atomic_store_explicit((_Atomic unsigned *)r.cq_head, head, memory_order_release);
    }
    return responses;
}
