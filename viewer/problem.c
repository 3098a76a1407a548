/* What to say about failures: see problem.h. */
#include "viewer/problem.h"

#include <stdio.h>

struct answer {
    int code; /* 0: any other */
    const char *title, *advice;
};

static const struct answer of_file[] = {
    {GP_EFORMAT, "This is not a recording that can be read",
     "Choose a file that gpuprobe wrote. If it did write this one, copy it again from where it was "
     "made, or record it anew; a recording of a newer gpuprobe needs that gpuprobe's viewer."},
    {GP_EIO, "The file cannot be read",
     "Check that you may read it (its owner and permissions) and that its disk is there."},
    {GP_ENOTFOUND, "There is nothing to show",
     "Check the name: the file may have been moved or deleted. A recording without cells is made "
     "when a run ends before its first cell; run it again."},
    {0, "The recording cannot be opened", "Try again; if it stays so, record it anew."},
};

static const struct answer of_cell[] = {
    {GP_EFORMAT, "The operations of this cell are damaged",
     "Other cells may be fine: choose one on the left. To get this one back, copy the file again "
     "from where it was made, or record it anew."},
    {GP_ENOTFOUND, "The recording is gone",
     "It was moved or deleted after it was opened. Open it again from where it is now."},
    {GP_EIO, "The recording cannot be read any more",
     "Check that its disk is there and that you may read it, then choose the cell again."},
    {0, "This cell cannot be shown", "Choose another cell on the left."},
};

static void answer_with(const struct answer *answers, const struct gp_error *err,
                        struct gp_problem *out)
{
    while (answers->code != 0 && answers->code != err->code) {
        answers++;
    }
    out->title = answers->title;
    out->advice = answers->advice;
    (void)snprintf(out->text, sizeof out->text, "%s", err->text);
}

void gp_problem_of_file(const struct gp_error *err, struct gp_problem *out)
{
    answer_with(of_file, err, out);
}

void gp_problem_of_cell(const struct gp_error *err, struct gp_problem *out)
{
    answer_with(of_cell, err, out);
}
