/* Rows of a recording: see record.h. */
#include "probe/record.h"

#include <assert.h>
#include <stddef.h>

#include "probe/store/words.h"

const char *gp_pass_name(enum gp_pass pass)
{
    return gp_word(GP_WORDS_PASS, (int)pass);
}

const char *gp_trace_name(enum gp_trace trace)
{
    return gp_word(GP_WORDS_TRACE, (int)trace);
}

const char *gp_source_name(enum gp_source source)
{
    return gp_word(GP_WORDS_SOURCE, (int)source);
}

const char *gp_status_name(enum gp_status status)
{
    return gp_word(GP_WORDS_STATUS, (int)status);
}

const char *gp_submit_name(enum gp_submit submit)
{
    return gp_word(GP_WORDS_SUBMIT, (int)submit);
}

const char *gp_origin_name(enum gp_origin origin)
{
    return gp_word(GP_WORDS_ORIGIN, (int)origin);
}

const char *gp_cause_name(enum gp_cause cause)
{
    return gp_word(GP_WORDS_CAUSE, (int)cause);
}

const char *gp_verdict_name(enum gp_verdict answer)
{
    return gp_word(GP_WORDS_VERDICT, (int)answer);
}

void gp_device_row_init(struct gp_device_row *row, const struct gp_device_info *info)
{
    assert(row != NULL && info != NULL);
    *row = (struct gp_device_row){.kind = info->kind == GP_DEVICE_CUDA ? GP_ORIGIN_CUDA
                                                                       : GP_ORIGIN_MODEL,
                                  .name = info->name,
                                  .uuid = info->uuid,
                                  .image = info->image,
                                  .image_note = info->image_note,
                                  .profile = info->profile_json,
#define X(field) .field = info->field,
                                  GP_DEVICE_NUMBERS(X)
#undef X
    };
}
