/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of numbers of the kernel that are the same in all kernels jtrace knows.  Each list has the
 * kernel's constant, its value and its name here; tests/kmod/jtrace_numbers.c compares the values
 * with each kernel's headers.
 */
#ifndef _JTRACE_NUMBERS_H
#define _JTRACE_NUMBERS_H

/* <linux/interrupt.h> */
#define NUMBERS_SOFTIRQ(X)					\
	X(HI_SOFTIRQ, 0, "HI")					\
	X(TIMER_SOFTIRQ, 1, "TIMER")				\
	X(NET_TX_SOFTIRQ, 2, "NET_TX")				\
	X(NET_RX_SOFTIRQ, 3, "NET_RX")				\
	X(BLOCK_SOFTIRQ, 4, "BLOCK")				\
	X(IRQ_POLL_SOFTIRQ, 5, "IRQ_POLL")			\
	X(TASKLET_SOFTIRQ, 6, "TASKLET")			\
	X(SCHED_SOFTIRQ, 7, "SCHED")				\
	X(HRTIMER_SOFTIRQ, 8, "HRTIMER")			\
	X(RCU_SOFTIRQ, 9, "RCU")

/* <linux/irqreturn.h> */
#define NUMBERS_IRQ_RETURN(X)					\
	X(IRQ_NONE, 0, "NONE")					\
	X(IRQ_HANDLED, 1, "HANDLED")				\
	X(IRQ_WAKE_THREAD, 2, "WAKE_THREAD")

/* <trace/events/lock.h>; flags */
#define NUMBERS_CONTENTION(X)					\
	X(LCB_F_SPIN, 0x1, "SPIN")				\
	X(LCB_F_READ, 0x2, "READ")				\
	X(LCB_F_WRITE, 0x4, "WRITE")				\
	X(LCB_F_RT, 0x8, "RT")					\
	X(LCB_F_PERCPU, 0x10, "PERCPU")				\
	X(LCB_F_MUTEX, 0x20, "MUTEX")

/* <linux/sched.h>, as ps(1) calls them; R+ was preempted */
#define NUMBERS_STATE(X)					\
	X(TASK_RUNNING, 0, "R")					\
	X(TASK_INTERRUPTIBLE, 0x1, "S")				\
	X(TASK_UNINTERRUPTIBLE, 0x2, "D")			\
	X(__TASK_STOPPED, 0x4, "T")				\
	X(__TASK_TRACED, 0x8, "t")				\
	X(EXIT_DEAD, 0x10, "X")					\
	X(EXIT_ZOMBIE, 0x20, "Z")				\
	X(TASK_PARKED, 0x40, "P")				\
	X(TASK_REPORT_IDLE, 0x80, "I")				\
	X(TASK_REPORT_MAX, 0x100, "R+")

/* <linux/blk_types.h>, the operation in cmd_flags; those of zones got other numbers in 6.1 */
#define NUMBERS_REQUEST(X)					\
	X(REQ_OP_READ, 0, "READ")				\
	X(REQ_OP_WRITE, 1, "WRITE")				\
	X(REQ_OP_FLUSH, 2, "FLUSH")				\
	X(REQ_OP_DISCARD, 3, "DISCARD")				\
	X(REQ_OP_SECURE_ERASE, 5, "SECURE_ERASE")		\
	X(REQ_OP_WRITE_ZEROES, 9, "WRITE_ZEROES")		\
	X(REQ_OP_DRV_IN, 34, "DRV_IN")				\
	X(REQ_OP_DRV_OUT, 35, "DRV_OUT")

/* <linux/blk_types.h> */
#define NUMBERS_BLOCK_STATUS(X)					\
	X(BLK_STS_NOTSUPP, 1, "NOTSUPP")			\
	X(BLK_STS_TIMEOUT, 2, "TIMEOUT")			\
	X(BLK_STS_NOSPC, 3, "NOSPC")				\
	X(BLK_STS_TRANSPORT, 4, "TRANSPORT")			\
	X(BLK_STS_TARGET, 5, "TARGET")				\
	X(BLK_STS_MEDIUM, 7, "MEDIUM")				\
	X(BLK_STS_PROTECTION, 8, "PROTECTION")			\
	X(BLK_STS_RESOURCE, 9, "RESOURCE")			\
	X(BLK_STS_IOERR, 10, "IOERR")				\
	X(BLK_STS_AGAIN, 12, "AGAIN")

/* <trace/events/power.h>: not a depth of idling */
#define NUMBERS_IDLE(X)						\
	X(PWR_EVENT_EXIT, 0xffffffff, "exit")

/* <linux/if_ether.h> */
#define NUMBERS_PROTOCOL(X)					\
	X(ETH_P_ALL, 0x3, "ALL")				\
	X(ETH_P_802_2, 0x4, "802.2")				\
	X(ETH_P_IP, 0x800, "IP")				\
	X(ETH_P_ARP, 0x806, "ARP")				\
	X(ETH_P_8021Q, 0x8100, "802.1Q")			\
	X(ETH_P_IPV6, 0x86dd, "IPv6")				\
	X(ETH_P_SLOW, 0x8809, "SLOW")				\
	X(ETH_P_MPLS_UC, 0x8847, "MPLS")			\
	X(ETH_P_PPP_SES, 0x8864, "PPPoE")			\
	X(ETH_P_PAE, 0x888e, "PAE")				\
	X(ETH_P_8021AD, 0x88a8, "802.1ad")			\
	X(ETH_P_LLDP, 0x88cc, "LLDP")				\
	X(ETH_P_1588, 0x88f7, "PTP")

/* <uapi/linux/sched.h>; flags */
#define NUMBERS_CLONE(X)					\
	X(CLONE_VM, 0x100, "VM")				\
	X(CLONE_FS, 0x200, "FS")				\
	X(CLONE_FILES, 0x400, "FILES")				\
	X(CLONE_SIGHAND, 0x800, "SIGHAND")			\
	X(CLONE_PIDFD, 0x1000, "PIDFD")				\
	X(CLONE_PTRACE, 0x2000, "PTRACE")			\
	X(CLONE_VFORK, 0x4000, "VFORK")				\
	X(CLONE_PARENT, 0x8000, "PARENT")			\
	X(CLONE_THREAD, 0x10000, "THREAD")			\
	X(CLONE_NEWNS, 0x20000, "NEWNS")			\
	X(CLONE_SYSVSEM, 0x40000, "SYSVSEM")			\
	X(CLONE_SETTLS, 0x80000, "SETTLS")			\
	X(CLONE_PARENT_SETTID, 0x100000, "PARENT_SETTID")	\
	X(CLONE_CHILD_CLEARTID, 0x200000, "CHILD_CLEARTID")	\
	X(CLONE_DETACHED, 0x400000, "DETACHED")			\
	X(CLONE_UNTRACED, 0x800000, "UNTRACED")			\
	X(CLONE_CHILD_SETTID, 0x1000000, "CHILD_SETTID")	\
	X(CLONE_NEWCGROUP, 0x2000000, "NEWCGROUP")		\
	X(CLONE_NEWUTS, 0x4000000, "NEWUTS")			\
	X(CLONE_NEWIPC, 0x8000000, "NEWIPC")			\
	X(CLONE_NEWUSER, 0x10000000, "NEWUSER")			\
	X(CLONE_NEWPID, 0x20000000, "NEWPID")			\
	X(CLONE_NEWNET, 0x40000000, "NEWNET")			\
	X(CLONE_IO, 0x80000000, "IO")

/* <linux/errno.h>, which user space does not have; of system calls, as negative values */
#define NUMBERS_ERRNO(X)					\
	X(ERESTARTSYS, 512, "ERESTARTSYS")			\
	X(ERESTARTNOINTR, 513, "ERESTARTNOINTR")		\
	X(ERESTARTNOHAND, 514, "ERESTARTNOHAND")		\
	X(ENOIOCTLCMD, 515, "ENOIOCTLCMD")			\
	X(ERESTART_RESTARTBLOCK, 516, "ERESTART_RESTARTBLOCK")	\
	X(EPROBE_DEFER, 517, "EPROBE_DEFER")			\
	X(EIOCBQUEUED, 529, "EIOCBQUEUED")

/* <asm/trap_pf.h> of x86; flags */
#define NUMBERS_PAGE_FAULT(X)					\
	X(X86_PF_PROT, 0x1, "PROT")				\
	X(X86_PF_WRITE, 0x2, "WRITE")				\
	X(X86_PF_USER, 0x4, "USER")				\
	X(X86_PF_RSVD, 0x8, "RSVD")				\
	X(X86_PF_INSTR, 0x10, "INSTR")				\
	X(X86_PF_PK, 0x20, "PK")				\
	X(X86_PF_SGX, 0x8000, "SGX")

#endif /* _JTRACE_NUMBERS_H */
