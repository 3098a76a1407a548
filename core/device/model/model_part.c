/* Streams on a part of the SMs of the model device: see handles.h and device.h. */
#include "core/device/model/handles.h"

/* The first part of a split, as cuDevSmResourceSplitByCount rounds it up. */
static int split(const struct gp_profile *profile, uint32_t permille, uint32_t *out,
                 struct gp_error *err)
{
    const int64_t step = profile->sm_part_step;
    const int64_t wanted = (profile->sm_count * permille + 999) / 1000;
    const int64_t first = step > 0 ? (wanted + step - 1) / step * step : 0;

    if (step == 0 || first >= profile->sm_count) {
        return gp_fail(err, GP_EUNSUPPORTED,
                       "the %d SMs of the model of %s cannot be split at %u permille%s",
                       (int)profile->sm_count, profile->models, permille,
                       step == 0 ? ": its profile says that they are not to be split" : "");
    }
    *out = (uint32_t)first;
    return 0;
}

int gp_model_stream_create_on(struct gp_device *device, struct gp_sm_part part, int32_t priority,
                              struct gp_stream **out, struct gp_error *err)
{
    struct gp_model *model = gp_model_of(device);
    struct gp_sm_range range = {0, (uint32_t)model->profile.sm_count};
    struct gp_lane *lane = NULL;
    struct gp_model_stream *stream;
    uint32_t first = 0;
    int code = split(&model->profile, part.permille, &first, err);

    if (code == 0) {
        code = gp_model_enter(model, &lane, err);
    }
    if (code != 0) {
        return code;
    }
    *(part.index == 0 ? &range.end : &range.first) = first;
    stream = gp_model_stream_make(model, lane, GP_STREAM_NON_BLOCKING, priority, err);
    if (stream == NULL) {
        code = GP_ENOMEM;
    } else {
        code = gp_sim_stream_restrict(&model->sim, stream->sim, range, err);
        stream->base.sm_count = range.end - range.first;
    }
    gp_lane_leave(lane, false);
    if (code == 0) {
        *out = &stream->base;
    } else if (stream != NULL) {
        (void)gp_model_stream_destroy(&stream->base, NULL);
    }
    return code;
}
