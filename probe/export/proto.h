/*
 * Protocol buffers' wire format, as much as writing needs: fields appended to a buffer that is used
 * again for each message. https://protobuf.dev/programming-guides/encoding/
 */
#ifndef GP_PROBE_EXPORT_PROTO_H
#define GP_PROBE_EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A message being made. Zeroed: empty. */
struct gp_proto {
    unsigned char *bytes;
    size_t count, capacity;
};

/* Takes a zeroed struct. */
void gp_proto_finish(struct gp_proto *message);

/* Empties it and keeps its memory. */
void gp_proto_reset(struct gp_proto *message);

/* Fields of type uint64, int64, enum or bool; fixed64; string; message. */
void gp_proto_put_varint(struct gp_proto *message, uint32_t field, uint64_t value);
void gp_proto_put_fixed64(struct gp_proto *message, uint32_t field, uint64_t value);
/* text is UTF-8. */
void gp_proto_put_text(struct gp_proto *message, uint32_t field, const char *text);
void gp_proto_put_message(struct gp_proto *message, uint32_t field, const struct gp_proto *inner);

/* Writes `inner` as a field of the outermost message, which the file is. */
void gp_proto_write(FILE *out, uint32_t field, const struct gp_proto *inner);

#endif
