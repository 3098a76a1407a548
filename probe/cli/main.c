/* gpuprobe: the program. All of it is in cli.c and the files of its verbs. */
#include "probe/cli/verbs.h"

int main(int argc, char **argv)
{
    return gp_cli_main(argc, argv);
}
