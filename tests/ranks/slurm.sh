# SPDX-License-Identifier: Apache-2.0
# A Slurm of one node for tests, as Debian packages it; sourced. Its packages start services when they are installed, so they are
# unpacked into a folder and run from there, as the user, without munge.
slurm_processes=()

slurm_unpack() { # slurm_unpack FOLDER: downloads about 4 MB
  local folder=$1
  mkdir -p "$folder/packages" && chmod 755 "$folder/packages" || return 1
  (cd "$folder/packages" && apt-get download slurmctld slurmd slurm-client slurm-wlm-basic-plugins libmunge2 libpmix2) > /dev/null 2>&1 || return 1
  for package in "$folder"/packages/*.deb; do dpkg -x "$package" "$folder" || return 1; done
  rm -r "$folder/packages"
}

slurm_free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

slurm_start() { # slurm_start FOLDER WORK: afterwards srun runs things
  local root=$1 work=$2/slurm node libraries try
  libraries=$(dirname "$(find "$root/usr/lib" -name libslurmfull.so | head -1)")
  [ -d "$libraries" ] || return 1
  node=$(hostname -s)
  mkdir -p "$work/state" "$work/spool"
  cat > "$work/slurm.conf" << C
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$(slurm_free_port)
SlurmdPort=$(slurm_free_port)
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
PluginDir=$libraries
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$node NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES State=UP OverSubscribe=YES
C
  export SLURM_CONF=$work/slurm.conf LD_LIBRARY_PATH=$libraries:${libraries%/*} PATH=$root/usr/bin:$PATH
  "$root"/usr/sbin/slurmctld-wlm -i -D > "$work/slurmctld.log" 2>&1 &
  slurm_processes=($!)
  "$root"/usr/sbin/slurmd-wlm -D -N "$node" -d "$root/usr/sbin/slurmstepd-wlm" > "$work/slurmd.log" 2>&1 &
  slurm_processes+=($!)
  for try in $(seq 60); do
    kill -0 "${slurm_processes[@]}" 2> /dev/null || return 1
    timeout 20 srun -n1 true > /dev/null 2>&1 && return 0
    sleep 0.5
  done
  return 1
}

slurm_stop() {
  [ ${#slurm_processes[@]} -eq 0 ] || kill "${slurm_processes[@]}" 2> /dev/null
  slurm_processes=()
}
