/* Protocol buffers: see proto.h. */
#include "probe/export/proto.h"

#include <string.h>

#include "probe/memory.h"

enum { VARINT_BYTES_MAX = 10, TYPE_VARINT = 0, TYPE_FIXED64 = 1, TYPE_BYTES = 2 };

static size_t encode_varint(unsigned char *out, uint64_t value)
{
    size_t count = 0;

    while (value >= 0x80) {
        out[count++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    out[count++] = (unsigned char)value;
    return count;
}

static void append(struct gp_proto *message, const void *bytes, size_t count)
{
    if (count == 0) {
        return;
    }
    message->bytes = gp_xgrow(message->bytes, &message->capacity, message->count + count, 1);
    memcpy(message->bytes + message->count, bytes, count);
    message->count += count;
}

static void append_varint(struct gp_proto *message, uint64_t value)
{
    unsigned char bytes[VARINT_BYTES_MAX];

    append(message, bytes, encode_varint(bytes, value));
}

static void append_key(struct gp_proto *message, uint32_t field, uint32_t type)
{
    append_varint(message, (uint64_t)field << 3 | type);
}

static void append_block(struct gp_proto *message, uint32_t field, const void *bytes, size_t count)
{
    append_key(message, field, TYPE_BYTES);
    append_varint(message, count);
    append(message, bytes, count);
}

void gp_proto_finish(struct gp_proto *message)
{
    gp_free(message->bytes);
    *message = (struct gp_proto){0};
}

void gp_proto_reset(struct gp_proto *message)
{
    message->count = 0;
}

void gp_proto_put_varint(struct gp_proto *message, uint32_t field, uint64_t value)
{
    append_key(message, field, TYPE_VARINT);
    append_varint(message, value);
}

void gp_proto_put_fixed64(struct gp_proto *message, uint32_t field, uint64_t value)
{
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(value >> 8 * i);
    }
    append_key(message, field, TYPE_FIXED64);
    append(message, bytes, sizeof bytes);
}

void gp_proto_put_text(struct gp_proto *message, uint32_t field, const char *text)
{
    append_block(message, field, text, strlen(text));
}

void gp_proto_put_message(struct gp_proto *message, uint32_t field, const struct gp_proto *inner)
{
    append_block(message, field, inner->bytes, inner->count);
}

void gp_proto_write(FILE *out, uint32_t field, const struct gp_proto *inner)
{
    unsigned char head[2 * VARINT_BYTES_MAX];
    size_t count = encode_varint(head, (uint64_t)field << 3 | TYPE_BYTES);

    count += encode_varint(head + count, inner->count);
    (void)fwrite(head, 1, count, out);
    if (inner->count > 0) {
        (void)fwrite(inner->bytes, 1, inner->count, out);
    }
}
