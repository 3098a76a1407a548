/* Figures of a device: see facts.h. */
#include "probe/analysis/facts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

/* A parameter of a profile's JSON text; NAN when there is none that is a number. */
static double parameter_of(const json_t *profile, const char *name)
{
    const json_t *value =
        json_object_get(json_object_get(json_object_get(profile, "parameters"), name), "value");

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void take_calibration(const struct gp_calibration_row *row, struct gp_facts *out)
{
#define X(field, scale)                                                                            \
    if (strcmp(row->name, #field) == 0 && isnan(out->field)) {                                     \
        out->field = row->value;                                                                   \
    }
    GP_FACTS(X)
#undef X
}

double gp_facts_copy_set_up(const struct gp_facts *facts, int direction)
{
    return direction == 0 ? facts->h2d_setup : facts->d2h_setup;
}

double gp_facts_copy_rate_max(const struct gp_facts *facts, const struct gp_device_row *device,
                              int direction)
{
    static const double peak_over_measured = 1.03;
    static const double peak_over_slope = 1.01;
    double rate = direction == 0 ? facts->h2d_rate : facts->d2h_rate;

    if (device->kind == GP_ORIGIN_MODEL) {
        return rate;
    }
    return rate *
           (isnan(gp_facts_copy_set_up(facts, direction)) ? peak_over_measured : peak_over_slope);
}

void gp_facts_collect(const struct gp_device_row *device, const struct gp_calibration_row *rows,
                      uint32_t count, struct gp_facts *out)
{
    json_t *profile = device->profile != NULL ? json_loads(device->profile, 0, NULL) : NULL;

    assert(device != NULL && out != NULL && (rows != NULL || count == 0));
#define X(field, scale) out->field = parameter_of(profile, #field) * (scale);
    GP_FACTS(X)
#undef X
    json_decref(profile);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].device == device->id) {
            take_calibration(&rows[i], out);
        }
    }
}

bool gp_facts_waits(const struct gp_facts *facts, const struct gp_op_row *copy)
{
    enum { UP_FROM = 64 * 1024 };
    bool is_up = copy->kind == GP_OP_H2D;
    double from = is_up ? facts->h2d_waits_from : facts->d2h_waits_from;

    assert(facts != NULL && (is_up || copy->kind == GP_OP_D2H));
    if (isnan(from)) {
        from = is_up ? UP_FROM : 0;
    }
    return copy->bytes == GP_UNKNOWN || (double)copy->bytes >= from;
}

/* CUDA C++ Programming Guide, technical specifications. */
static int64_t grids_of_capability(int64_t capability)
{
    switch (capability) {
    case 50:
    case 52:
    case 61:
        return 32;
    case 53:
    case 62:
    case 72:
        return 16;
    default:
        return capability < 50 ? 0 : 128;
    }
}

int64_t gp_facts_grids(const struct gp_facts *facts, const struct gp_device_row *device)
{
    assert(facts != NULL && device != NULL);
    if (!isnan(facts->grids_resident)) {
        return (int64_t)facts->grids_resident;
    }
    if (device->compute_major == GP_UNKNOWN || device->compute_minor == GP_UNKNOWN) {
        return 0;
    }
    return grids_of_capability(device->compute_major * 10 + device->compute_minor);
}
