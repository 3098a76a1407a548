gpuprobe-profile 1
# No particular device: a middle-sized GPU on a PCIe 4.0 bus in round figures, for trying what
# depends on the size of a device. Latencies and host costs are the H200's.
# key                    value        unit      from      source
name generic
models a generic GPU
base h200

compute_major            8            version   assumed   a round figure
compute_minor            6            version   assumed   a round figure
sm_count                 64           count     assumed   a round figure
sm_clock_mhz             1500         MHz       assumed   a round figure
memory_bytes             17179869184  bytes     assumed   a round figure
l2_bytes                 8388608      bytes     assumed   a round figure
timer_tick_ns            1            ns        assumed   a round figure
async_engines            2            count     assumed   a round figure
priority_levels          3            count     assumed   a round figure
sm_order                 0-63         SMs       assumed   a round figure
memory_curve             1:20,16:300,64:700,128:800 blocks:GB/s assumed   a round figure
h2d_rate                 25000        MB/s      assumed   a round figure
h2d_duplex_rate          22000        MB/s      assumed   a round figure
d2h_rate                 25000        MB/s      assumed   a round figure
d2h_duplex_rate          22000        MB/s      assumed   a round figure
d2d_rate                 350000       MB/s      assumed   a round figure
memset_rate              700000       MB/s      assumed   a round figure
