# SPDX-License-Identifier: Apache-2.0
# What the tracking library costs the program that it tracks.
read -r buffer_ns program_ns < <("$PWD/build/bench_track")
row "tracking, a buffer event" "$buffer_ns" 100 ns
row "tracking, an event of a program" "$program_ns" 100 ns
