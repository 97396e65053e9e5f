"""ask_hta.py RANK...: all ranks with HTA (HolisticTraceAnalysis), in its own Python: what `analyze gpu` answers, too."""
import logging
import sys
import warnings

logging.disable(logging.CRITICAL)
warnings.simplefilter("ignore")

from hta.trace_analysis import TraceAnalysis  # noqa: E402


def main():
    ranks = list(range(len(sys.argv) - 1))
    hta = TraceAnalysis(trace_files=dict(enumerate(sys.argv[1:])), trace_dir="")
    hta.get_temporal_breakdown(visualize=False)
    hta.get_comm_comp_overlap(visualize=False)
    hta.get_gpu_kernel_breakdown(visualize=False)
    hta.get_idle_time_breakdown(ranks=ranks, visualize=False)
    hta.get_cuda_kernel_launch_stats(ranks=ranks, visualize=False)
    hta.get_queue_length_summary(ranks=ranks)


if __name__ == "__main__":
    main()
