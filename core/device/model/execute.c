/* Effects on bytes: see execute.h. */
#include "core/device/model/execute.h"

#include <assert.h>
#include <string.h>

#include "core/buffer.h"
#include "core/memory.h"

static uint64_t access_address(const struct gp_access *access)
{
    return gp_buffer_place(access->buffer) + access->offset;
}

struct gp_action *gp_action_move(uint64_t to, uint64_t from, uint64_t bytes, uint8_t value)
{
    struct gp_action *action = gp_alloc(1, sizeof *action);

    if (action != NULL) {
        action->references = 1;
        action->to = to;
        action->from = from;
        action->bytes = bytes;
        action->value = value;
    }
    return action;
}

/* One block holds the action, the pointers to the arguments, their values, the accesses, and the
 * buffers that these name: a caller may destroy its buffers' descriptors before the work is done.
 */
struct gp_action *gp_action_launch(const struct gp_launch *launch)
{
    const struct gp_kernel *kernel = launch->kernel;
    struct gp_action *action = gp_alloc(1, sizeof *action);
    struct {
        const void *pointers[GP_KERNEL_ARGS_MAX];
        _Alignas(16) unsigned char values[GP_KERNEL_ARGS_MAX][GP_ARG_BYTES_MAX];
    } *args = gp_alloc(1, sizeof *args);
    struct gp_access *accesses = gp_alloc(launch->access_count, sizeof *accesses);
    struct gp_buffer *buffers = gp_alloc(launch->access_count, sizeof *buffers);

    if (action == NULL || args == NULL || accesses == NULL || buffers == NULL) {
        gp_free(action);
        gp_free(args);
        gp_free(accesses);
        gp_free(buffers);
        return NULL;
    }
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        memcpy(args->values[i], launch->args[i], kernel->args[i].bytes);
        args->pointers[i] = args->values[i];
    }
    for (uint32_t i = 0; i < launch->access_count; i++) {
        accesses[i] = launch->accesses[i];
        buffers[i] = *launch->accesses[i].buffer;
        accesses[i].buffer = &buffers[i];
    }
    action->references = 1;
    action->launch = *launch;
    action->launch.args = args->pointers;
    action->launch.accesses = accesses;
    action->staged = buffers;
    return action;
}

void gp_action_destroy(struct gp_action *action)
{
    if (action == NULL || --action->references > 0) {
        return;
    }
    gp_free((void *)(uintptr_t)action->launch.args);
    gp_free((void *)(uintptr_t)action->launch.accesses);
    gp_free(action->staged);
    gp_free(action);
}

bool gp_launch_is_valid(const struct gp_memory *memory, const struct gp_launch *launch)
{
    const struct gp_kernel *kernel = launch->kernel;

    for (uint32_t i = 0; i < launch->access_count; i++) {
        if (gp_memory_find(memory, access_address(&launch->accesses[i]),
                           launch->accesses[i].bytes) == NULL) {
            return false;
        }
    }
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        if (kernel->args[i].kind == GP_ARG_ADDRESS) {
            gp_addr address = GP_ARG(launch, i, gp_addr);

            if (address != 0 && gp_memory_find(memory, address, 0) == NULL) {
                return false;
            }
        }
    }
    if (gp_launch_blocks(launch) > UINT32_MAX && (launch->stamp & GP_STAMP_BLOCKS) != 0) {
        return false;
    }
    return launch->stamp == 0 || gp_memory_find(memory, gp_stamp_address(launch->stamp),
                                                gp_launch_stamp_bytes(launch)) != NULL;
}

/* ---- kernels ----------------------------------------------------------------------------------
 */

static struct gp_hash hash_of_number(uint64_t number)
{
    return gp_hash_bytes(&number, sizeof number);
}

/* An address as the access that it lies in and the offset there; false when it is in none. */
static bool join_address(const struct gp_launch *launch, gp_addr address, struct gp_hash *key)
{
    for (uint32_t i = 0; i < launch->access_count; i++) {
        uint64_t begin = access_address(&launch->accesses[i]);

        if (address >= begin && address - begin < launch->accesses[i].bytes) {
            *key = gp_hash_join(*key, hash_of_number(i));
            *key = gp_hash_join(*key, hash_of_number(address - begin));
            return true;
        }
    }
    return false;
}

/* All that the result depends on; false when that cannot be known. */
static bool make_key(const struct gp_memory *memory, const struct gp_launch *launch,
                     struct gp_hash *key)
{
    const struct gp_kernel *kernel = launch->kernel;
    const uint32_t shape[7] = {launch->grid[0],     launch->grid[1],  launch->grid[2],
                               launch->block[0],    launch->block[1], launch->block[2],
                               launch->shared_bytes};

    if (launch->access_count == 0) {
        return false;
    }
    *key = hash_of_number((uint64_t)(uintptr_t)kernel);
    *key = gp_hash_join(*key, gp_hash_bytes(shape, sizeof shape));
    for (uint32_t i = 0; i < kernel->arg_count; i++) {
        if (kernel->args[i].kind == GP_ARG_VALUE) {
            *key = gp_hash_join(*key, gp_hash_bytes(launch->args[i], kernel->args[i].bytes));
        } else if (!join_address(launch, GP_ARG(launch, i, gp_addr), key)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < launch->access_count; i++) {
        const struct gp_access *access = &launch->accesses[i];
        const uint64_t facts[2] = {access->bytes, access->mode};
        uint64_t address = access_address(access);

        *key = gp_hash_join(*key, gp_hash_bytes(facts, sizeof facts));
        if ((access->mode & GP_ACCESS_READ) != 0) {
            struct gp_allocation *allocation = gp_memory_find(memory, address, access->bytes);

            *key = gp_hash_join(*key, gp_memory_hash(allocation, address, access->bytes));
        }
    }
    return true;
}

static uint64_t written_bytes(const struct gp_launch *launch)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < launch->access_count; i++) {
        if ((launch->accesses[i].mode & GP_ACCESS_WRITE) != 0) {
            bytes += launch->accesses[i].bytes + sizeof(struct gp_hash);
        }
    }
    return bytes;
}

/* Moves the written ranges to or from an entry's data, each after its hash. */
static void move_written(const struct gp_memory *memory, const struct gp_launch *launch,
                         struct gp_memo_entry *entry, bool is_hit)
{
    unsigned char *at = entry->data;

    for (uint32_t i = 0; i < launch->access_count; i++) {
        const struct gp_access *access = &launch->accesses[i];
        uint64_t address = access_address(access);
        struct gp_allocation *allocation = gp_memory_find(memory, address, access->bytes);
        struct gp_hash hash;

        if ((access->mode & GP_ACCESS_WRITE) == 0) {
            continue;
        }
        if (is_hit) {
            memcpy(&hash, at, sizeof hash);
            memcpy((void *)(uintptr_t)address, at + sizeof hash, access->bytes);
            gp_memory_touch(allocation, address, access->bytes);
            gp_memory_know(allocation, address, access->bytes, hash);
        } else {
            hash = gp_memory_hash(allocation, address, access->bytes);
            memcpy(at, &hash, sizeof hash);
            memcpy(at + sizeof hash, (const void *)(uintptr_t)address, access->bytes);
        }
        at += sizeof hash + access->bytes;
    }
}

static void touch_all(const struct gp_memory *memory, const struct gp_launch *launch)
{
    const struct gp_kernel *kernel = launch->kernel;

    for (uint32_t i = 0; i < launch->access_count; i++) {
        uint64_t address = access_address(&launch->accesses[i]);
        uint64_t bytes = launch->accesses[i].bytes;

        if ((launch->accesses[i].mode & GP_ACCESS_WRITE) != 0) {
            gp_memory_touch(gp_memory_find(memory, address, bytes), address, bytes);
        }
    }
    for (uint32_t i = 0; i < kernel->arg_count && launch->access_count == 0; i++) {
        if (kernel->args[i].kind == GP_ARG_ADDRESS) {
            struct gp_allocation *allocation =
                gp_memory_find(memory, GP_ARG(launch, i, gp_addr), 0);

            if (allocation != NULL) {
                gp_memory_touch(allocation, allocation->address, allocation->bytes);
            }
        }
    }
}

static void run_kernel(struct gp_memory *memory, const struct gp_launch *launch)
{
    struct gp_hash key;
    struct gp_memo_entry *entry;

    if (!make_key(memory, launch, &key)) {
        launch->kernel->reference(launch);
        touch_all(memory, launch);
        return;
    }
    entry = gp_memo_find(&memory->memo, key);
    if (entry != NULL) {
        move_written(memory, launch, entry, true);
        return;
    }
    launch->kernel->reference(launch);
    touch_all(memory, launch);
    entry = gp_memo_add(&memory->memo, key, written_bytes(launch));
    if (entry != NULL) {
        move_written(memory, launch, entry, false);
    }
}

/* As the device's timer shows it. */
static uint64_t timer_ns(const struct gp_sim *sim, int64_t at_ns)
{
    const int64_t tick = sim->profile->timer_tick_ns;

    return (uint64_t)(at_ns / tick * tick);
}

static struct gp_block_stamp *block_stamps(const struct gp_sim_op *op)
{
    return (struct gp_block_stamp *)(uintptr_t)gp_stamp_address(op->stamp);
}

void gp_execute_block_begin(const struct gp_sim *sim, struct gp_sim_cohort *cohort, uint32_t block)
{
    struct gp_block_stamp *stamp = &block_stamps(cohort->op)[block];

    if (sim->fault.code != 0) {
        return; /* a lost device writes nothing any more */
    }
    *stamp = (struct gp_block_stamp){
        .begin = timer_ns(sim, cohort->start_ns),
        .end = cohort->newest_block,
        .sm = sim->profile->sm_order[cohort->place],
    };
    cohort->newest_block = block + 1;
}

void gp_execute_blocks_end(const struct gp_sim *sim, const struct gp_sim_cohort *cohort)
{
    const struct gp_sim_op *op = cohort->op;
    uint64_t block = cohort->newest_block;

    /* Two kernels that were given the same slot spoil it, and no more than it. */
    for (uint32_t i = 0; i < cohort->count && block > 0 && block <= op->blocks; i++) {
        struct gp_block_stamp *stamp = &block_stamps(op)[block - 1];

        block = stamp->end;
        stamp->end = timer_ns(sim, sim->now_ns);
    }
}

static void write_stamp(const struct gp_sim *sim, const struct gp_sim_op *op)
{
    const uint64_t begin = timer_ns(sim, op->begin_ns);
    const uint64_t end = timer_ns(sim, op->end_ns);
    struct gp_stamp *stamp = (struct gp_stamp *)(uintptr_t)op->stamp;
    const uint64_t bytes = op->blocks * sizeof(struct gp_block_stamp);
    const gp_addr address = gp_stamp_address(op->stamp);

    if (gp_stamps_blocks(op)) {
        /* Its blocks have written. */
        gp_memory_touch(gp_memory_find(sim->memory, address, bytes), address, bytes);
        return;
    }
    stamp->begin = begin < stamp->begin ? begin : stamp->begin;
    stamp->end = end > stamp->end ? end : stamp->end;
    gp_memory_touch(gp_memory_find(sim->memory, op->stamp, sizeof *stamp), op->stamp,
                    sizeof *stamp);
}

/* ---- everything -------------------------------------------------------------------------------
 */

static void move_bytes(const struct gp_memory *memory, const struct gp_action *action)
{
    const void *from =
        action->staged != NULL ? action->staged : (const void *)(uintptr_t)action->from;

    memmove((void *)(uintptr_t)action->to, from, action->bytes);
    gp_memory_touch(gp_memory_find(memory, action->to, action->bytes), action->to, action->bytes);
}

static int fail_faulty(const struct gp_sim_op *op, struct gp_error *err)
{
    if (op->kernel != NULL) {
        return gp_fail(err, GP_EFAULT,
                       "illegal address: kernel '%s' was given memory that is not allocated",
                       op->kernel->name);
    }
    return gp_fail(err, GP_EFAULT,
                   "illegal address: a copy or fill of %lld bytes leaves its "
                   "allocation",
                   (long long)op->bytes);
}

int gp_execute(struct gp_sim *sim, const struct gp_sim_op *op, struct gp_error *err)
{
    const struct gp_action *action = op->action;

    if (op->is_faulty) {
        return fail_faulty(op, err);
    }
    if (sim->fault.code != 0) {
        return 0; /* a lost device writes nothing any more */
    }
    if (op->stamp != 0) {
        write_stamp(sim, op);
    }
    if (op->kind == GP_SIM_WRITE) {
        *(volatile uint32_t *)op->flag = op->value;
    }
    if (action == NULL) {
        return 0;
    }
    switch (op->kind) {
    case GP_SIM_KERNEL:
        run_kernel(sim->memory, &action->launch);
        break;
    case GP_SIM_H2D:
    case GP_SIM_D2H:
    case GP_SIM_D2D:
        move_bytes(sim->memory, action);
        break;
    case GP_SIM_SET:
        memset((void *)(uintptr_t)action->to, action->value, action->bytes);
        gp_memory_touch(gp_memory_find(sim->memory, action->to, action->bytes), action->to,
                        action->bytes);
        break;
    case GP_SIM_FREE:
        return gp_memory_remove(sim->memory, action->to, false, err);
    default:
        break;
    }
    return 0;
}
