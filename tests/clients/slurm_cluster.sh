#!/bin/bash
# Runs a command in a Slurm cluster of this machine alone: slurm_cluster.sh FOLDER HOSTS COMMAND...
# HOSTS is a comma list of names, each with a slurmd of its own. To be started in fresh network, UTS and PID namespaces, so that
# nothing is left behind and no port or name collides; Slurm looks names up only where an interface besides lo has an address.
set -u
folder=$1 hosts=$2
shift 2
hostname localhost
ip link set lo up
ip link add veth0 type veth peer name veth1
ip addr add 10.99.0.1/24 dev veth0
ip link set veth0 up
ip link set veth1 up
mkdir -p "$folder"/{state,spool,run}
chmod 755 "$folder"
(umask 077 && head -c 128 /dev/urandom > "$folder/munge.key")
IFS=, read -ra names <<< "$hosts"
cat > "$folder/slurm.conf" << CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/run/munge.sock
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
MailProg=/bin/true
InactiveLimit=0
KillWait=1
CONF
port=17000
for name in "${names[@]}"; do
  echo "NodeName=$name NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port++)) CPUs=16 RealMemory=100" >> "$folder/slurm.conf"
done
echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP" >> "$folder/slurm.conf"
export SLURM_CONF=$folder/slurm.conf
munged --force --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" --pid-file="$folder/run/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/run/munge.seed" || exit 1
slurmctld -c || exit 1
for name in "${names[@]}"; do slurmd -N "$name" -c || exit 1; done
for ((i = 0; i < 100; ++i)); do
  [[ $(sinfo -h -t idle -o %D 2> /dev/null) == "${#names[@]}" ]] && break
  sleep 0.1
done
"$@"
