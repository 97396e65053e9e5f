# slurm_here.sh: sourced by run.sh; a Slurm of one host, of Debian's packages, in a folder of its own.
#
#   slurm_up FOLDER EPILOG [NODES]   starts munged, slurmctld and a slurmd for each node (1) with that TaskEpilog; SLURM_CONF names their settings
#   slurm_down FOLDER                ends them
#
# Nothing outside FOLDER is written, and the ports are those that the system had free, so that a Slurm of the machine's own is not
# met. munged runs as whoever runs the test.

slurm_is_here() {
    local program
    for program in munged slurmctld slurmd srun sinfo; do
        PATH=$PATH:/usr/sbin command -v $program >/dev/null || return 1
    done
}

free_ports() {
    python3 -c '
import socket
import sys
taken = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in taken:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in taken])' "$1"
}

slurm_settings() {
    local host ports node
    host=$(hostname -s)
    read -ra ports < <(free_ports $(($3 + 1)))
    cat <<END
ClusterName=postfetto
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$1/munge.socket
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool.%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.%n.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.%n.log
SlurmctldPort=${ports[0]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PartitionName=all Nodes=ALL Default=YES State=UP
${2:+TaskEpilog=$2}
END
    for ((node = 1; node <= $3; node++)); do
        echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[node]} CPUs=$(nproc) State=UNKNOWN"
    done
}

slurm_up() {
    local tries node
    PATH=$PATH:/usr/sbin:/sbin
    mkdir -p "$1/state"
    chmod 755 "$1"
    (umask 077 && head -c 1024 /dev/urandom >"$1/munge.key")
    slurm_settings "$1" "$2" "${3:-1}" >"$1/slurm.conf"
    # version 1 is asked for nothing here; the other one wants a cgroup of its own when slurmd starts
    echo CgroupPlugin=cgroup/v1 >"$1/cgroup.conf"
    export SLURM_CONF=$1/slurm.conf
    munged --force --key-file="$1/munge.key" --socket="$1/munge.socket" --pid-file="$1/munged.pid" \
        --log-file="$1/munged.log" --seed-file="$1/munged.seed" || return 1
    slurmctld -c || return 1
    for ((node = 1; node <= ${3:-1}; node++)); do
        slurmd -N "n$node" || return 1
    done
    for ((tries = 0; tries < 60; tries++)); do
        if [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; then
            return 0
        fi
        sleep 0.5
    done
    tail -n 5 "$1"/slurm*.log
    return 1
}

slurm_down() {
    local file pid
    for file in "$1"/slurmd.*.pid "$1/slurmctld.pid" "$1/munged.pid"; do
        if [ -s "$file" ]; then
            pid=$(cat "$file")
            kill "$pid"
            while kill -0 "$pid" 2>/dev/null; do
                sleep 0.1
            done
        fi
    done
}
