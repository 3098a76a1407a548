gpuprobe-profile 1
# NVIDIA H200 (SXM, PCIe 5.0 x16), driver 580, CUDA 13.0, x86-64 hosts. Measured by this project's
# micro-benchmarks on several machines; host figures wander by 30 % from machine to machine, device
# figures repeat to a few percent.
# key                    value        unit      from      source
name h200
models NVIDIA H200

# --- the device
compute_major            9            version   published CUDA C++ Programming Guide, compute capabilities
compute_minor            0            version   published CUDA C++ Programming Guide, compute capabilities
sm_count                 132          count     published NVIDIA H200 data sheet
sm_clock_mhz             1975         MHz       measured  slope of an FMA kernel's time over its instructions, 4 chains against 2 and 1
memory_bytes             150754820096 bytes     measured  cuDeviceTotalMem
l2_bytes                 52428800     bytes     published NVIDIA H100 architecture white paper: 50 MB
timer_tick_ns            32           ns        measured  smallest step of %globaltimer
async_engines            3            count     measured  asyncEngineCount; two are ever used
priority_levels          6            count     measured  all pairs of 0 to -5: each cuts in before the next
sm_part_step             8            count     measured  green contexts: 33 of 132 SMs wanted, 40 and 92 given
grids_resident           128          count     measured  128 kernels of 10 ms take 11.0 ms, 129 take 20.1
queue_launches           1021         count     measured  launches that a gated stream accepts before the call blocks
queue_commands           4096         count     assumed   bound on everything else that a stream is given
sm_order                 124-131,0-1,16-17,32-33,48-49,2-3,18-19,34-35,50-51,4-5,20-21,36-37,52-53,6-7,22-23,38-39,54-55,8-9,24-25,40-41,56-57,10-11,26-27,42-43,58-59,12-13,28-29,44-45,60-61,14-15,30-31,46-47,62-65,80-81,96-97,112-113,66-67,82-83,98-99,114-115,68-69,84-85,100-101,116-117,70-71,86-87,102-103,118-119,72-73,88-89,104-105,120-121,74-75,90-91,106-107,122-123,76-77,92-93,108-109,78-79,94-95,110-111 SMs       measured  %smid of one block per SM: the first 20 were read, the rest follows their pattern

# --- sharing of an SM and of the memory
issue_per_clock          4            count     published NVIDIA H100 architecture white paper: four schedulers an SM
issue_curve              0:1000,556:1000,1061:1180,1112:1205,1940:1995,2121:2220,2224:2325,3880:4010,4243:4350,4448:4490,7760:7840,8486:8520,15520:15520 permille:permille measured  FMA kernel of 1, 2 and 4 chains at 1, 2, 4 and 8 blocks of 256 threads per SM
older_share_permille     700          permille  measured  two 4-chain FMA kernels on the same SMs end after 510 and 717 us
memory_slowdown_curve    0:1000,1112:1020,2121:2800,3880:3500 permille:permille measured  triad beside FMA kernels of 1, 2 and 4 chains at 2 blocks per SM
memory_block_warps       16           warps     measured  the triad's blocks have 512 threads
memory_curve             1:50,2:100,4:197,8:386,16:742,32:1345,64:2383,128:3492,132:3511,264:4284 blocks:GB/s measured  triad by number of blocks
block_min_ns             250          ns        measured  relu on one block, by stamps
block_turn_ns            300          ns        assumed   from a B300: 5 to 10 % of blocks below 5 us

# --- latencies on the device
launch_start_ns          900          ns        assumed   launch to first instruction is about 4 us on an H100, less the call
copy_start_ns            1500         ns        assumed   from the end of the call, beyond launch_start_ns
gap_kernel_kernel_ns     1540         ns        measured  in-kernel stamps, same stream and through an untimed event
gap_kernel_copy_ns       4200         ns        assumed   a third of what chains of copies and kernels on one stream leave: 11 to 14 us
gap_copy_kernel_ns       4200         ns        assumed   a third of what chains of copies and kernels on one stream leave: 11 to 14 us
gap_copy_copy_ns         4200         ns        assumed   a third of what chains of copies and kernels on one stream leave: 11 to 14 us
bus_fetch_ns             3900         ns        measured  kernels of `batch` on 4 streams: gaps of 5.4 us, of 1.75 on one
gap_graph_ns             770          ns        measured  in-kernel stamps
graph_start_ns           3000         ns        assumed   launch of a graph to its first node is about 4 us on an H100
front_kernel_ns          1030         ns        measured  800 small kernels on 8 streams behind a gate take 829 us
front_graph_ns           285          ns        measured  2000 small kernels in a graph of 8 branches take 560 to 600 us
front_timed_ns           2000         ns        measured  the same 800 with a timed event after each take 2423 us
front_write_ns           1200         ns        assumed   a flag write is seen 0.9 to 1.1 us after its kernel on an H100
event_timed_ns           1530         ns        measured  kernel to kernel through a timed event 3.07 us, through an untimed one 1.54
event_event_ns           1250         ns        measured  event to event on one stream

# --- copies
h2d_rate                 55400        MB/s      measured  pinned, alone
h2d_duplex_rate          51300        MB/s      measured  beside D2H
d2h_rate                 55300        MB/s      measured  pinned, alone
d2h_duplex_rate          50500        MB/s      measured  beside H2D
h2d_setup_curve          131072:3130,4194304:3590 bytes:ns  measured  copies back to back: 128 KiB 5.5 us, 4 MiB 79.3
d2h_setup_curve          4096:2126,131072:2630,4194304:2150 bytes:ns  measured  copies back to back: 4 KiB 2.2 us, 128 KiB 5.0, 4 MiB 78
copy_duplex_setup_ns     6500         ns        measured  copies of 4 MiB in both directions take 90.7 to 96 us each, beyond bytes and set-up
copy_timed_ns            5800         ns        measured  a timed event after each of 192 copies: 8705 to 9265 us
h2d_inline_bytes         16384        bytes     measured  up to 16 KiB a copy passes a running one
h2d_inline_ns            2900         ns        measured  4 KiB copies back to back
d2d_rate                 2000000      MB/s      measured  bytes copied
memset_rate              4000000      MB/s      measured  device memory
memset_sm_bytes          16384        bytes     measured  waits for SMs from 16 KiB, not up to 256 bytes
memset_small_ns          1500         ns        assumed   not measured
pageable_rate            6500         MB/s      measured  64 MiB hold the calling thread 10.3 ms
pageable_d2h_rate        14000        MB/s      measured  64 MiB hold the calling thread 4.5 ms, 16 MiB 1.2
pageable_inline_bytes    65536        bytes     published CUDA Driver API, API synchronization behavior
pageable_chunk_bytes     4194304      bytes     assumed   not measured

# --- the host
host_between_ns          100          ns        assumed   not measured
host_lock_permille       1000         permille  assumed   one lock a context, held for the whole call
host_launch_ns           3650         ns        measured  cuLaunchKernel 2.0 to 4.5 us, by machine
host_launch_active_ns    45           ns        assumed   reconciles 3.9 us a launch on 32 streams with 7.4 on 128
host_copy_ns             3000         ns        assumed   not measured
host_set_ns              3000         ns        assumed   not measured
host_record_ns           220          ns        measured  cuEventRecord, untimed 0.18 to 0.25 us
host_record_timed_ns     1100         ns        measured  cuEventRecord, timed 0.9 to 1.6 us
host_wait_ns             220          ns        measured  cuStreamWaitEvent
host_function_ns         2500         ns        measured  cuLaunchHostFunc
host_flag_write_ns       2300         ns        measured  2000 small kernels with a flag write each: 12.6 ms against 8.0
host_flag_read_ns        50           ns        assumed   not measured
host_query_ns            200          ns        assumed   not measured
host_elapsed_ns          120          ns        measured  cuEventElapsedTime
host_clock_ns            25           ns        assumed   not measured
host_pause_ns            40           ns        assumed   not measured
host_sync_ns             1000         ns        assumed   not measured
host_event_create_ns     250          ns        measured  cuEventCreate
host_stream_create_ns    25000        ns        measured  cuStreamCreate
host_alloc_ns            1100         ns        measured  cuMemAlloc of 4 KiB to 1.5 MiB beside 64 KiB 1.1 us
host_alloc_chunk_ns      33000        ns        measured  alone, and of 2 MiB and more: 33 to 45 us; 54 for 64 MiB
host_free_ns             1050         ns        measured  cuMemFree beside 64 KiB 1.0 to 1.1 us
host_free_chunk_ns       30000        ns        measured  alone, and of 2 MiB and more: 29 to 38 us; 80 for 64 MiB
alloc_chunk_bytes        2097152      bytes     measured  in a row, every second 1 MiB is dear, and every 32nd 64 KiB
host_alloc_async_ns      1250         ns        measured  cuMemAllocAsync from what the pool has
host_alloc_grow_ns       52000        ns        measured  more when the pool must grow: 54 us for 64 KiB and for 1 MiB, 75 for 64 MiB
host_free_async_ns       600          ns        measured  cuMemFreeAsync
alloc_pool_bytes         33554432     bytes     assumed   a pool that grew for 64 KiB then has 1 MiB, and grows again for 64
host_pinned_ns           100000       ns        assumed   not measured
host_capture_ns          200          ns        published B300 micro-benchmark catalogue: 0.2 us a captured call
host_instantiate_ns      6000         ns        published B300 micro-benchmark catalogue
host_instantiate_node_ns 5950         ns        measured  cuGraphInstantiate of 2000 kernels 11.9 ms
host_graph_ns            4000         ns        assumed   not measured
host_graph_node_ps       4500         ps        measured  cuGraphLaunch of 2000 kernels 13 us
alloc_synchronises       0            0/1       measured  cuMemAlloc beside a 5 ms kernel returns after 0.2 ms, cuMemFree after 4.9
visible_event_ns         4500         ns        measured  launch to event query 11.8 us
visible_sync_ns          2500         ns        measured  launch to return of cuStreamSynchronize 9.3 us
visible_blocking_ns      34500        ns        measured  cuStreamSynchronize of a blocking context returns 32 us later
function_wait_ns         38000        ns        measured  launch to host function 46 us; between two kernels 50 us
function_ready_ns        9600         ns        measured  13 us when nothing precedes
function_run_ns          3000         ns        measured  about 3 us each when many are queued
function_back_ns         9000         ns        measured  a host function between two kernels costs the stream 50 us
clock_round_ns           2300         ns        measured  best round trip through mapped memory 2.0 to 2.7 us
