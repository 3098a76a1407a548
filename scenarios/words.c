/* Words that spins mix values into: see words.h. */
#include "scenarios/words.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "kernels/kernels.h"
#include "scenarios/values.h"

static const uint32_t poisoned = GP_POISON * UINT32_C(0x01010101);

int gp_words_init(struct gp_words *words, struct gp_workload *workload, uint32_t count,
                  struct gp_error *err)
{
    assert(count >= 1);
    words->count = count;
    words->right = gp_alloc(count, sizeof words->right[0]);
    words->got = gp_alloc(count, sizeof words->got[0]);
    if (words->right == NULL || words->got == NULL) {
        return gp_fail(err, GP_ENOMEM, "%s: out of host memory", workload->ops->name);
    }
    for (uint32_t i = 0; i < count; i++) {
        words->right[i] = poisoned;
    }
    return gp_buffer_create(workload->device, GP_SPACE_DEVICE, (uint64_t)count * sizeof(uint32_t),
                            0, "words", &words->buffer, err);
}

void gp_words_finish(struct gp_words *words)
{
    gp_buffer_destroy(words->buffer);
    gp_free(words->right);
    gp_free(words->got);
    memset(words, 0, sizeof *words);
}

struct gp_op *gp_words_spin(const struct gp_words *words, struct gp_builder *builder,
                            const struct gp_spin *spin)
{
    const struct gp_access access = {words->buffer, spin->word * sizeof(uint32_t), sizeof(uint32_t),
                                     GP_ACCESS_READ_WRITE};
    const gp_addr word = words->buffer->address + access.offset;
    const void *const args[] = {&word, &spin->value, &spin->ns, &spin->spread_ns};
    const struct gp_launch launch = {
        .kernel = spin->spread_ns > 0 ? &gp_kernel_spin_uneven : &gp_kernel_spin,
        .grid = {spin->blocks, 1, 1},
        .block = {spin->threads, 1, 1},
        .args = args,
        .accesses = &access,
        .access_count = 1,
    };

    assert(spin->word < words->count);
    words->right[spin->word] = gp_spin_mix(words->right[spin->word], spin->value);
    return gp_op_kernel(builder, NULL, &launch);
}

int gp_words_reset(struct gp_workload *workload, struct gp_error *err)
{
    struct gp_words *words = workload->state;

    return gp_buffer_fill(words->buffer, workload->stream, GP_POISON, err);
}

int gp_words_verify(struct gp_workload *workload, struct gp_error *err)
{
    struct gp_words *words = workload->state;
    int code = gp_buffer_read(words->buffer, workload->stream, 0, words->got,
                              words->count * sizeof(uint32_t), err);

    for (uint32_t i = 0; i < words->count && code == 0; i++) {
        if (words->got[i] != words->right[i]) {
            code = gp_fail(err, GP_EVERIFY,
                           "%s: word %" PRIu32 ": got %#" PRIx32 "%s, expected %#" PRIx32,
                           workload->ops->name, i, words->got[i],
                           words->got[i] == poisoned ? " (never written)" : "", words->right[i]);
        }
    }
    return code;
}

void gp_words_teardown(struct gp_workload *workload)
{
    if (workload->state != NULL) {
        gp_words_finish(workload->state);
        gp_free(workload->state);
    }
}
