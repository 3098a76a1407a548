/* gpuprobe-viewer: see application.h. */
#include "viewer/application.h"

int main(int argc, char **argv)
{
    g_autoptr(GpApplication) application = gp_application_new();

    return g_application_run(G_APPLICATION(application), argc, argv);
}
