# slurm_here.sh: sourced by run.sh; a Slurm of one host, of Debian's packages, in a folder of its own.
#
#   slurm_up FOLDER EPILOG   starts munged, slurmctld and slurmd with that TaskEpilog; SLURM_CONF names their settings
#   slurm_down FOLDER        ends them
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
taken = [socket.socket() for _ in range(2)]
for one in taken:
    one.bind(("127.0.0.1", 0))
print(*[one.getsockname()[1] for one in taken])'
}

slurm_settings() {
    local host ports
    host=$(hostname -s)
    read -ra ports < <(free_ports)
    cat <<END
ClusterName=postfetto
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$1/munge.socket
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd.log
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
TaskEpilog=$2
END
}

slurm_up() {
    local tries
    PATH=$PATH:/usr/sbin:/sbin
    mkdir -p "$1/state" "$1/spool"
    chmod 755 "$1"
    (umask 077 && head -c 1024 /dev/urandom >"$1/munge.key")
    slurm_settings "$1" "$2" >"$1/slurm.conf"
    # version 1 is asked for nothing here; the other one wants a cgroup of its own when slurmd starts
    echo CgroupPlugin=cgroup/v1 >"$1/cgroup.conf"
    export SLURM_CONF=$1/slurm.conf
    munged --force --key-file="$1/munge.key" --socket="$1/munge.socket" --pid-file="$1/munged.pid" \
        --log-file="$1/munged.log" --seed-file="$1/munged.seed" || return 1
    slurmctld -c || return 1
    slurmd || return 1
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
    local daemon pid
    for daemon in slurmd slurmctld munged; do
        if [ -s "$1/$daemon.pid" ]; then
            pid=$(cat "$1/$daemon.pid")
            kill "$pid"
            while kill -0 "$pid" 2>/dev/null; do
                sleep 0.1
            done
        fi
    done
}
