/* perfetto/ftrace_names.c - ftrace events by the number of their message in FtraceEvent: what they are called, and what
 * their members are (facts of the format). Members are listed for the events that Perfetto makes more than a row of,
 * and for others that recordings hold often. */
#include "perfetto/ftrace_names.h"

#include "base/str.h"

/* Runs of consecutive numbers, each with the first one. */
static const char *const NAMES[] = {
    "3:print sched_switch",
    "11:cpu_frequency cpu_frequency_limits cpu_idle clock_enable clock_disable clock_set_rate sched_wakeup",
    "18:sched_blocked_reason sched_cpu_hotplug sched_waking ipi_entry ipi_exit ipi_raise softirq_entry",
    "25:softirq_exit softirq_raise i2c_read i2c_write i2c_result i2c_reply smbus_read smbus_write smbus_result",
    "34:smbus_reply lowmemory_kill irq_handler_entry irq_handler_exit sync_pt sync_timeline sync_wait",
    "41:ext4_da_write_begin ext4_da_write_end ext4_sync_file_enter ext4_sync_file_exit block_rq_issue",
    "46:mm_vmscan_direct_reclaim_begin mm_vmscan_direct_reclaim_end mm_vmscan_kswapd_wake mm_vmscan_kswapd_sleep",
    "50:binder_transaction binder_transaction_received binder_set_priority binder_lock binder_locked",
    "55:binder_unlock workqueue_activate_work workqueue_execute_end workqueue_execute_start workqueue_queue_work",
    "60:regulator_disable regulator_disable_complete regulator_enable regulator_enable_complete",
    "64:regulator_enable_delay regulator_set_voltage regulator_set_voltage_complete cgroup_attach_task",
    "68:cgroup_mkdir cgroup_remount cgroup_rmdir cgroup_transfer_tasks cgroup_destroy_root cgroup_release",
    "74:cgroup_rename cgroup_setup_root mdp_cmd_kickoff mdp_commit mdp_perf_set_ot mdp_sspp_change",
    "80:tracing_mark_write mdp_cmd_pingpong_done mdp_compare_bw mdp_perf_set_panic_luts mdp_sspp_set",
    "85:mdp_cmd_readptr_done mdp_misr_crc mdp_perf_set_qos_luts mdp_trace_counter mdp_cmd_release_bw",
    "90:mdp_mixer_update mdp_perf_set_wm_levels mdp_video_underrun_done mdp_cmd_wait_pingpong",
    "94:mdp_perf_prefill_calc mdp_perf_update_bus rotator_bw_ao_as_context mm_filemap_add_to_page_cache",
    "98:mm_filemap_delete_from_page_cache mm_compaction_begin mm_compaction_defer_compaction",
    "101:mm_compaction_deferred mm_compaction_defer_reset mm_compaction_end mm_compaction_finished",
    "105:mm_compaction_isolate_freepages mm_compaction_isolate_migratepages mm_compaction_kcompactd_sleep",
    "108:mm_compaction_kcompactd_wake mm_compaction_migratepages mm_compaction_suitable",
    "111:mm_compaction_try_to_compact_pages mm_compaction_wakeup_kcompactd suspend_resume sched_wakeup_new",
    "115:block_bio_backmerge block_bio_bounce block_bio_complete block_bio_frontmerge block_bio_queue",
    "120:block_bio_remap block_dirty_buffer block_getrq block_plug block_rq_abort block_rq_complete",
    "126:block_rq_insert",
    "128:block_rq_remap block_rq_requeue block_sleeprq block_split block_touch_buffer block_unplug",
    "134:ext4_alloc_da_blocks ext4_allocate_blocks ext4_allocate_inode ext4_begin_ordered_truncate",
    "138:ext4_collapse_range ext4_da_release_space ext4_da_reserve_space ext4_da_update_reserve_space",
    "142:ext4_da_write_pages ext4_da_write_pages_extent ext4_direct_IO_enter ext4_direct_IO_exit",
    "146:ext4_discard_blocks ext4_discard_preallocations ext4_drop_inode ext4_es_cache_extent",
    "150:ext4_es_find_delayed_extent_range_enter ext4_es_find_delayed_extent_range_exit ext4_es_insert_extent",
    "153:ext4_es_lookup_extent_enter ext4_es_lookup_extent_exit ext4_es_remove_extent ext4_es_shrink",
    "157:ext4_es_shrink_count ext4_es_shrink_scan_enter ext4_es_shrink_scan_exit ext4_evict_inode",
    "161:ext4_ext_convert_to_initialized_enter ext4_ext_convert_to_initialized_fastpath",
    "163:ext4_ext_handle_unwritten_extents ext4_ext_in_cache ext4_ext_load_extent ext4_ext_map_blocks_enter",
    "167:ext4_ext_map_blocks_exit ext4_ext_put_in_cache ext4_ext_remove_space ext4_ext_remove_space_done",
    "171:ext4_ext_rm_idx ext4_ext_rm_leaf ext4_ext_show_extent ext4_fallocate_enter ext4_fallocate_exit",
    "176:ext4_find_delalloc_range ext4_forget ext4_free_blocks ext4_free_inode",
    "180:ext4_get_implied_cluster_alloc_exit ext4_get_reserved_cluster_alloc ext4_ind_map_blocks_enter",
    "183:ext4_ind_map_blocks_exit ext4_insert_range ext4_invalidatepage ext4_journal_start",
    "187:ext4_journal_start_reserved ext4_journalled_invalidatepage ext4_journalled_write_end ext4_load_inode",
    "191:ext4_load_inode_bitmap ext4_mark_inode_dirty ext4_mb_bitmap_load ext4_mb_buddy_bitmap_load",
    "195:ext4_mb_discard_preallocations ext4_mb_new_group_pa ext4_mb_new_inode_pa ext4_mb_release_group_pa",
    "199:ext4_mb_release_inode_pa ext4_mballoc_alloc ext4_mballoc_discard ext4_mballoc_free ext4_mballoc_prealloc",
    "204:ext4_other_inode_update_time ext4_punch_hole ext4_read_block_bitmap_load ext4_readpage ext4_releasepage",
    "209:ext4_remove_blocks ext4_request_blocks ext4_request_inode ext4_sync_fs ext4_trim_all_free",
    "214:ext4_trim_extent ext4_truncate_enter ext4_truncate_exit ext4_unlink_enter ext4_unlink_exit",
    "219:ext4_write_begin",
    "230:ext4_write_end ext4_writepage ext4_writepages ext4_writepages_result ext4_zero_range task_newtask",
    "236:task_rename sched_process_exec sched_process_exit sched_process_fork sched_process_free",
    "241:sched_process_hang sched_process_wait f2fs_do_submit_bio f2fs_evict_inode f2fs_fallocate",
    "246:f2fs_get_data_block f2fs_get_victim f2fs_iget f2fs_iget_exit f2fs_new_inode f2fs_readpage",
    "252:f2fs_reserve_new_block f2fs_set_page_dirty f2fs_submit_write_page f2fs_sync_file_enter",
    "256:f2fs_sync_file_exit f2fs_sync_fs f2fs_truncate f2fs_truncate_blocks_enter f2fs_truncate_blocks_exit",
    "261:f2fs_truncate_data_blocks_range f2fs_truncate_inode_blocks_enter f2fs_truncate_inode_blocks_exit",
    "264:f2fs_truncate_node f2fs_truncate_nodes_enter f2fs_truncate_nodes_exit f2fs_truncate_partial_nodes",
    "268:f2fs_unlink_enter f2fs_unlink_exit f2fs_vm_page_mkwrite f2fs_write_begin f2fs_write_checkpoint",
    "273:f2fs_write_end alloc_pages_iommu_end alloc_pages_iommu_fail alloc_pages_iommu_start alloc_pages_sys_end",
    "278:alloc_pages_sys_fail alloc_pages_sys_start dma_alloc_contiguous_retry iommu_map_range",
    "282:iommu_sec_ptbl_map_range_end iommu_sec_ptbl_map_range_start ion_alloc_buffer_end ion_alloc_buffer_fail",
    "286:ion_alloc_buffer_fallback ion_alloc_buffer_start ion_cp_alloc_retry ion_cp_secure_buffer_end",
    "290:ion_cp_secure_buffer_start ion_prefetching ion_secure_cma_add_to_pool_end",
    "293:ion_secure_cma_add_to_pool_start ion_secure_cma_allocate_end ion_secure_cma_allocate_start",
    "296:ion_secure_cma_shrink_pool_end ion_secure_cma_shrink_pool_start kfree kmalloc kmalloc_node",
    "301:kmem_cache_alloc kmem_cache_alloc_node kmem_cache_free migrate_pages_end migrate_pages_start",
    "306:migrate_retry mm_page_alloc mm_page_alloc_extfrag mm_page_alloc_zone_locked mm_page_free",
    "311:mm_page_free_batched mm_page_pcpu_drain rss_stat ion_heap_shrink ion_heap_grow fence_init fence_destroy",
    "318:fence_enable_signal fence_signaled clk_enable clk_disable clk_set_rate binder_transaction_alloc_buf",
    "324:signal_deliver signal_generate oom_score_adj_update generic mm_event_record sys_enter sys_exit zero",
    "332:gpu_frequency sde_tracing_mark_write mark_victim ion_stat ion_buffer_create ion_buffer_destroy",
    "338:scm_call_start scm_call_end gpu_mem_total thermal_temperature cdev_update cpuhp_exit cpuhp_multi_enter",
    "345:cpuhp_enter cpuhp_latency fastrpc_dma_stat dpu_tracing_mark_write g2d_tracing_mark_write",
    "350:mali_tracing_mark_write dma_heap_stat cpuhp_pause sched_pi_setprio sde_sde_evtlog sde_sde_perf_calc_crtc",
    "356:sde_sde_perf_crtc_update sde_sde_perf_set_qos_luts sde_sde_perf_update_bus rss_stat_throttled",
    "360:netif_receive_skb net_dev_xmit inet_sock_set_state tcp_retransmit_skb cros_ec_sensorhub_data",
    "365:napi_gro_receive_entry napi_gro_receive_exit kfree_skb kvm_access_fault kvm_ack_irq kvm_age_hva",
    "371:kvm_age_page kvm_arm_clear_debug kvm_arm_set_dreg32 kvm_arm_set_regset kvm_arm_setup_debug kvm_entry",
    "377:kvm_exit kvm_fpu kvm_get_timer_map kvm_guest_fault kvm_handle_sys_reg kvm_hvc_arm64 kvm_irq_line",
    "384:kvm_mmio kvm_mmio_emulate kvm_set_guest_debug kvm_set_irq kvm_set_spte_hva kvm_set_way_flush",
    "390:kvm_sys_access kvm_test_age_hva kvm_timer_emulate kvm_timer_hrtimer_expire kvm_timer_restore_state",
    "395:kvm_timer_save_state kvm_timer_update_irq kvm_toggle_cache kvm_unmap_hva_range kvm_userspace_exit",
    "400:kvm_vcpu_wakeup kvm_wfx_arm64 trap_reg vgic_update_irq_pending wakeup_source_activate",
    "405:wakeup_source_deactivate ufshcd_command ufshcd_clk_gating console drm_vblank_event",
    "410:drm_vblank_event_delivered drm_sched_job drm_run_job drm_sched_process_job dma_fence_init dma_fence_emit",
    "416:dma_fence_signaled dma_fence_wait_start dma_fence_wait_end f2fs_iostat f2fs_iostat_latency",
    "421:sched_cpu_util_cfs v4l2_qbuf v4l2_dqbuf vb2_v4l2_buf_queue vb2_v4l2_buf_done vb2_v4l2_qbuf",
    "427:vb2_v4l2_dqbuf dsi_cmd_fifo_status dsi_rx dsi_tx android_fs_dataread_end android_fs_dataread_start",
    "433:android_fs_datawrite_end android_fs_datawrite_start android_fs_fsync_end android_fs_fsync_start",
    "437:funcgraph_entry funcgraph_exit virtio_video_cmd virtio_video_cmd_done virtio_video_resource_queue",
    "442:virtio_video_resource_queue_done mm_shrink_slab_start mm_shrink_slab_end trusty_smc trusty_smc_done",
    "447:trusty_std_call32 trusty_std_call32_done trusty_share_memory trusty_share_memory_done",
    "451:trusty_reclaim_memory trusty_reclaim_memory_done trusty_irq trusty_ipc_handle_event trusty_ipc_connect",
    "456:trusty_ipc_connect_end trusty_ipc_write trusty_ipc_poll",
    "460:trusty_ipc_read trusty_ipc_read_end trusty_ipc_rx",
    "464:trusty_enqueue_nop cma_alloc_start cma_alloc_info lwis_tracing_mark_write virtio_gpu_cmd_queue",
    "469:virtio_gpu_cmd_response mali_mali_KCPU_CQS_SET mali_mali_KCPU_CQS_WAIT_START mali_mali_KCPU_CQS_WAIT_END",
    "473:mali_mali_KCPU_FENCE_SIGNAL mali_mali_KCPU_FENCE_WAIT_START mali_mali_KCPU_FENCE_WAIT_END hyp_enter",
    "477:hyp_exit host_hcall host_smc host_mem_abort suspend_resume_minimal mali_mali_CSF_INTERRUPT_START",
    "483:mali_mali_CSF_INTERRUPT_END samsung_tracing_mark_write binder_command binder_return",
    "487:sched_switch_with_ctrs gpu_work_period rpm_status panel_write_generic sched_migrate_task",
    "492:dpu_dsi_cmd_fifo_status dpu_dsi_rx dpu_dsi_tx f2fs_background_gc f2fs_gc_begin f2fs_gc_end",
    "498:fastrpc_dma_free fastrpc_dma_alloc fastrpc_dma_unmap fastrpc_dma_map google_icc_event google_irm_event",
    "504:device_pm_callback_start device_pm_callback_end thermal_exynos_acpm_bulk",
    "507:thermal_exynos_acpm_high_overhead dcvsh_freq kgsl_gpu_frequency",
    "510:mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND mali_mali_PM_MCU_HCTL_CORES_NOTIFY_PEND",
    "512:mali_mali_PM_MCU_HCTL_CORE_INACTIVE_PEND mali_mali_PM_MCU_HCTL_MCU_ON_RECHECK",
    "514:mali_mali_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND mali_mali_PM_MCU_HCTL_SHADERS_PEND_OFF",
    "516:mali_mali_PM_MCU_HCTL_SHADERS_PEND_ON mali_mali_PM_MCU_HCTL_SHADERS_READY_OFF mali_mali_PM_MCU_IN_SLEEP",
    "519:mali_mali_PM_MCU_OFF mali_mali_PM_MCU_ON mali_mali_PM_MCU_ON_CORE_ATTR_UPDATE_PEND",
    "522:mali_mali_PM_MCU_ON_GLB_REINIT_PEND mali_mali_PM_MCU_ON_HALT mali_mali_PM_MCU_ON_HWCNT_DISABLE",
    "525:mali_mali_PM_MCU_ON_HWCNT_ENABLE mali_mali_PM_MCU_ON_PEND_HALT mali_mali_PM_MCU_ON_PEND_SLEEP",
    "528:mali_mali_PM_MCU_ON_SLEEP_INITIATE mali_mali_PM_MCU_PEND_OFF mali_mali_PM_MCU_PEND_ON_RELOAD",
    "531:mali_mali_PM_MCU_POWER_DOWN mali_mali_PM_MCU_RESET_WAIT bcl_irq_trigger kgsl_adreno_cmdbatch_queued",
    "535:kgsl_adreno_cmdbatch_submitted kgsl_adreno_cmdbatch_sync kgsl_adreno_cmdbatch_retired",
    "538:pixel_mm_kswapd_wake pixel_mm_kswapd_done sched_wakeup_task_attr devfreq_frequency kprobe_event",
    "543:param_set_value_cpm do_sys_open open_exec block_io_start block_io_done mali_gpu_power_state",
    "549:dpu_disp_dpu_underrun dpu_disp_vblank_irq_enable hrtimer_start hrtimer_cancel hrtimer_expire_entry",
    "554:hrtimer_expire_exit timer_start timer_cancel timer_expire_entry timer_expire_exit local_timer_entry",
    "560:local_timer_exit dwc3_alloc_request dwc3_complete_trb dwc3_ctrl_req dwc3_ep_dequeue dwc3_ep_queue",
    "566:dwc3_event dwc3_free_request dwc3_gadget_ep_cmd dwc3_gadget_ep_disable dwc3_gadget_ep_enable",
    "571:dwc3_gadget_generic_cmd dwc3_gadget_giveback dwc3_prepare_trb dwc3_readl dwc3_writel cma_alloc_finish",
    "577:mm_alloc_contig_migrate_range_info host_ffa_call dmabuf_rss_stat iommu_idmap psci_mem_protect",
    "582:hypervisor_host_hcall hypervisor_host_smc hypervisor_hyp_exit hypervisor_iommu_idmap",
    "586:hypervisor_psci_mem_protect hypervisor_host_mem_abort hypervisor_hyp_enter",
    "589:hypervisor_iommu_idmap_complete hypervisor_vcpu_illegal_trap drm_sched_job_add_dep drm_sched_job_done",
    "593:drm_sched_job_queue drm_sched_job_run drm_sched_job_unschedulable fwtp_perfetto_counter",
    "597:scsi_dispatch_cmd_error scsi_dispatch_cmd_timeout scsi_eh_wakeup fwtp_perfetto_slice gpu_power_state",
    "602:gram_collision f2fs_lock_elapsed_time sched_group_tracker dpu_disp_frame_done_timeout",
    "606:dpu_disp_frame_start_timeout mm_vmscan_memcg_reclaim_begin mm_vmscan_memcg_reclaim_end",
    "609:dpu_disp_frame_done_missing dpu_disp_frame_start_missing panel_settings_full panel_settings_lite",
    "613:dpu_disp_dpu_line_underrun psci_domain_idle_exit psci_domain_idle_enter long_irq long_softirq",
};

/* By number: each member with its own number and a letter for its type (ftrace_names.h). */
static const struct {
    const char *list;
} MEMBERS[] = {
    [3] = {"1uip 2sbuf"},
    [4] = {"1sprev_comm 2iprev_pid 3iprev_prio 4iprev_state 5snext_comm 6inext_pid 7inext_prio"},
    [11] = {"1ustate 2ucpu_id"},
    [12] = {"1umin_freq 2umax_freq 3ucpu_id"},
    [13] = {"1ustate 2ucpu_id"},
    [14] = {"1sname 2ustate 3ucpu_id"},
    [15] = {"1sname 2ustate 3ucpu_id"},
    [16] = {"1sname 2ustate 3ucpu_id"},
    [17] = {"1scomm 2ipid 3iprio 4isuccess 5itarget_cpu"},
    [18] = {"1ipid 2kcaller 3uio_wait"},
    [20] = {"1scomm 2ipid 3iprio 4isuccess 5itarget_cpu"},
    [24] = {"1uvec"},
    [25] = {"1uvec"},
    [26] = {"1uvec"},
    [35] = {"1scomm 2ipid 3ipagecache_size 4ipagecache_limit 5ifree"},
    [36] = {"1iirq 2sname 3uhandler"},
    [37] = {"1iirq 2iret"},
    [42] = {"1udev 2uino 3ipos 4ulen 5ucopied"},
    [45] = {"1udev 2usector 3unr_sector 4ubytes 5srwbs 6scomm 7scmd"},
    [46] = {"1iorder 2imay_writepage 3ugfp_flags"},
    [47] = {"1unr_reclaimed"},
    [50] = {"1idebug_id 2itarget_node 3ito_proc 4ito_thread 5ireply 6ucode 7uflags"},
    [51] = {"1idebug_id"},
    [52] = {"1iproc 2ithread 3uold_prio 4unew_prio 5udesired_prio"},
    [53] = {"1stag"},
    [54] = {"1stag"},
    [55] = {"1stag"},
    [56] = {"1uwork 2kfunction"},
    [57] = {"1uwork 2kfunction"},
    [58] = {"1uwork 2kfunction"},
    [59] = {"1uwork 2kfunction 4ireq_cpu 5icpu 6sworkqueue"},
    [67] = {"1idst_root 2idst_id 3ipid 4scomm 5scname 6idst_level 7sdst_path"},
    [80] = {"1ipid 2strace_name 3utrace_begin"},
    [113] = {"1saction 2ival 3ustart"},
    [114] = {"1scomm 2ipid 3iprio 4isuccess 5itarget_cpu"},
    [125] = {"1udev 2usector 3unr_sector 4ierrors 5srwbs 6scmd 7ierror"},
    [235] = {"1ipid 2scomm 3uclone_flags 4ioom_score_adj"},
    [236] = {"1ipid 2soldcomm 3snewcomm 4ioom_score_adj"},
    [237] = {"1sfilename 2ipid 3iold_pid"},
    [238] = {"1scomm 2ipid 3itgid 4iprio"},
    [239] = {"1sparent_comm 2iparent_pid 3schild_comm 4ichild_pid"},
    [240] = {"1scomm 2ipid 3iprio"},
    [241] = {"1scomm 2ipid"},
    [242] = {"1scomm 2ipid 3iprio"},
    [298] = {"1ucall_site 2uptr"},
    [299] = {"1ubytes_alloc 2ubytes_req 3ucall_site 4ugfp_flags 5uptr"},
    [313] = {"1imember 2isize 3ucurr 4umm_id"},
    [320] = {"1sname"},
    [321] = {"1sname"},
    [322] = {"1sname 2urate"},
    [323] = {"1udata_size 2idebug_id 3uoffsets_size 4uextra_buffers_size"},
    [324] = {"1icode 2usa_flags 3isig"},
    [325] = {"1icode 2scomm 3igroup 4ipid 5iresult 6isig"},
    [326] = {"1scomm 2ioom_score_adj 3ipid"},
    [327] = {"1sevent_name"},
    [329] = {"1iid 2uargs"},
    [330] = {"1iid 2iret"},
    [331] = {"1iflag 2sname 3ipid 4ivalue"},
    [332] = {"1ugpu_id 2ustate"},
    [333] = {"1ipid 2strace_name 3utrace_type 4ivalue 5utrace_begin"},
    [334] = {"1ipid"},
    [340] = {"1ugpu_id 2upid 3usize"},
    [341] = {"1iid 2itemp 3itemp_prev 4sthermal_zone"},
    [348] = {"1ipid 2strace_name 3utrace_begin 4sname 5utype 6ivalue"},
    [349] = {"1ipid 4sname 5utype 6ivalue"},
    [350] = {"1sname 2ipid 3utype 4ivalue"},
    [351] = {"1uinode 2ilen 3utotal_allocated"},
    [352] = {"1uactive_cpus 2ucpus 3upause 4utime"},
    [353] = {"1scomm 2inewprio 3ioldprio 4ipid"},
    [359] = {"1ucurr 2imember 3umm_id 4isize"},
    [404] = {"1sname 2ustate"},
    [405] = {"1sname 2ustate"},
    [411] = {"1uentity 2ufence 3ihw_job_count 4uid 5ujob_count 6sname"},
    [412] = {"1uentity 2ufence 3ihw_job_count 4uid 5ujob_count 6sname"},
    [413] = {"1ufence"},
    [414] = {"1ucontext 2sdriver 3useqno 4stimeline"},
    [415] = {"1ucontext 2sdriver 3useqno 4stimeline"},
    [416] = {"1ucontext 2sdriver 3useqno 4stimeline"},
    [417] = {"1ucontext 2sdriver 3useqno 4stimeline"},
    [418] = {"1ucontext 2sdriver 3useqno 4stimeline"},
    [421] = {"1iactive 2ucapacity 3ucapacity_orig 4ucpu 5ucpu_importance 6ucpu_util 7uexit_lat 8ugroup_capacity"
             " 9ugrp_overutilized 10uidle_cpu 11unr_running 12ispare_cap 13utask_fits 14uwake_group_util 15uwake_util"},
    [422] = {"1ubytesused 2ufield 3uflags 4uindex 5iminor 6usequence 7utimecode_flags 8utimecode_frames"
             " 9utimecode_hours 10utimecode_minutes 11utimecode_seconds 12utimecode_type 13utimecode_userbits0"
             " 14utimecode_userbits1 15utimecode_userbits2 16utimecode_userbits3 17itimestamp 18utype"},
    [423] = {"1ubytesused 2ufield 3uflags 4uindex 5iminor 6usequence 7utimecode_flags 8utimecode_frames"
             " 9utimecode_hours 10utimecode_minutes 11utimecode_seconds 12utimecode_type 13utimecode_userbits0"
             " 14utimecode_userbits1 15utimecode_userbits2 16utimecode_userbits3 17itimestamp 18utype"},
    [424] = {"1ufield 2uflags 3iminor 4usequence 5utimecode_flags 6utimecode_frames 7utimecode_hours"
             " 8utimecode_minutes 9utimecode_seconds 10utimecode_type 11utimecode_userbits0 12utimecode_userbits1"
             " 13utimecode_userbits2 14utimecode_userbits3 15itimestamp"},
    [425] = {"1ufield 2uflags 3iminor 4usequence 5utimecode_flags 6utimecode_frames 7utimecode_hours"
             " 8utimecode_minutes 9utimecode_seconds 10utimecode_type 11utimecode_userbits0 12utimecode_userbits1"
             " 13utimecode_userbits2 14utimecode_userbits3 15itimestamp"},
    [426] = {"1ufield 2uflags 3iminor 4usequence 5utimecode_flags 6utimecode_frames 7utimecode_hours"
             " 8utimecode_minutes 9utimecode_seconds 10utimecode_type 11utimecode_userbits0 12utimecode_userbits1"
             " 13utimecode_userbits2 14utimecode_userbits3 15itimestamp"},
    [427] = {"1ufield 2uflags 3iminor 4usequence 5utimecode_flags 6utimecode_frames 7utimecode_hours"
             " 8utimecode_minutes 9utimecode_seconds 10utimecode_type 11utimecode_userbits0 12utimecode_userbits1"
             " 13utimecode_userbits2 14utimecode_userbits3 15itimestamp"},
    [465] = {"1ualign 2ucount 3sname"},
    [466] = {"1ualign 2ucount 3uerr_iso 4uerr_mig 5uerr_test 6sname 7unr_mapped 8unr_migrated 9unr_reclaimed 10upfn"},
    [467] = {"1slwis_name 2utype 3ipid 4sfunc_name 5ivalue"},
    [468] = {"1uctx_id 2idev 3ufence_id 4uflags 5sname 6unum_free 7useqno 8utype 9uvq"},
    [469] = {"1uctx_id 2idev 3ufence_id 4uflags 5sname 6unum_free 7useqno 8utype 9uvq"},
    [484] = {"1ipid 2strace_name 3utrace_begin 4utrace_type 5ivalue"},
    [485] = {"1ucmd"},
    [486] = {"1ucmd"},
    [487] = {"1iold_pid 2inew_pid 3ucctr 4uctr0 5uctr1 6uctr2 7uctr3 8ulctr0 9ulctr1 10uctr4 11uctr5 12sprev_comm"
             " 13iprev_pid 14ucyc 15uinst 16ustallbm 17ul3dm 18inext_pid 19snext_comm 20iprev_state 21uamu0 22uamu1"
             " 23uamu2"},
    [488] = {"1ugpu_id 2uuid 3ustart_time_ns 4uend_time_ns 5utotal_active_duration_ns"},
    [491] = {"1scomm 2ipid 3iprio 4iorig_cpu 5idest_cpu 6irunning 7uload"},
    [553] = {"1uhrtimer 2inow 3kfunction"},
    [554] = {"1uhrtimer"},
    [557] = {"1utimer 2unow 3ufunction 4ubaseclk"},
    [558] = {"1utimer"},
    [559] = {"1ivector"},
    [560] = {"1ivector"},
    [576] = {"1sname 2upfn 3upage 4ucount 5ualign 6ierrorno"},
    [577] = {"1ustart 2uend 3unr_migrated 4unr_reclaimed 5unr_mapped 6imigratetype"},
    [592] = {"1ufence_context 2ufence_seqno"},
    [593] = {"1sname 2ujob_count 3ihw_job_count 4sdev 5ufence_context 6ufence_seqno 7uclient_id"},
    [594] = {"1sname 2ujob_count 3ihw_job_count 4sdev 5ufence_context 6ufence_seqno 7uclient_id"},
};

pf_str pf_ftrace_name(uint32_t kind)
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const char *at = NAMES[i];
        uint32_t number = 0;
        for (; *at != ':'; at++) {
            number = number * 10 + (uint32_t)(*at - '0');
        }
        for (at++; *at && number <= kind; number++) {
            size_t len = strcspn(at, " ");
            if (number == kind) {
                return (pf_str){at, len};
            }
            at += len + (at[len] == ' ');
        }
    }
    return (pf_str){NULL, 0};
}

pf_ftrace_member pf_ftrace_find_member(uint32_t kind, uint32_t field)
{
    const char *at = kind < sizeof MEMBERS / sizeof *MEMBERS ? MEMBERS[kind].list : NULL;
    while (at && *at) {
        uint32_t number = 0;
        for (; pf_is_digit(*at); at++) {
            number = number * 10 + (uint32_t)(*at - '0');
        }
        size_t len = strcspn(at, " ");
        if (number == field) {
            return (pf_ftrace_member){at[0], {at + 1, len - 1}};
        }
        at += len + (at[len] == ' ');
    }
    return (pf_ftrace_member){0, {NULL, 0}};
}

uint64_t pf_ftrace_print_pid(pf_str print, pf_str *rest)
{
    uint64_t pid = 0;
    size_t at = 2;
    for (; print.len > 2 && print.ptr[1] == '|' && at < print.len && at < 12 && pf_is_digit(print.ptr[at]); at++) {
        pid = pid * 10 + (uint64_t)(print.ptr[at] - '0');
    }
    *rest = (pf_str){print.ptr + at, print.len > at ? print.len - at : 0};
    return pid;
}
