/**
 * What the events of each format become: one entry for the categories that become records of the same types. A category
 * that no entry names is not accounted for.
 */
import type { DiagnosticName } from '../../src/record/diagnostics.js';

/** Categories whose events become records, one each unless they are counted as skipped. */
export interface RecordEntry {
  readonly events: RegExp;
  /** Types of records; of ranges `range:KIND`, of samples `sample:METRIC` with `*` for all. */
  readonly records: readonly string[];
  /** Events that a record takes, if not one. */
  readonly each?: number;
  /** What counts the events of these categories, and only of these, that become no record. */
  readonly skipped?: readonly DiagnosticName[];
  /** What counts them along with others, which are records. */
  readonly skippedAtMost?: readonly DiagnosticName[];
  /** What counts records of one event alone, where others take `each`. */
  readonly alone?: readonly DiagnosticName[];
  /**
   * Categories whose events are among these or are not: parts of other records that are listed twice, empty values that
   * are written or are not. Up to as many records may be missing, or more than the events.
   */
  readonly perhaps?: RegExp;
  /** Kinds of events that are not read, of which these categories hold some. */
  readonly kinds?: RegExp;
}

/** Categories whose events are no records of their own. */
interface OtherEntry {
  readonly events: RegExp;
  readonly why: string;
}

export interface Ledger {
  readonly records: readonly RecordEntry[];
  readonly others: readonly OtherEntry[];
}

const NAMES = 'names, settings and devices, which records take up';
const ARROWS = 'arrows, which join launches and work';
const JOINED = 'fields of other records';
const SUMS = 'sums of the profiler over the other events';
const SERIES = 'values over time, written where they change or summed over time';
const REPEATED = 'host ranges as they show on the device, which the host has too';

const SKIPPED_HOST: readonly DiagnosticName[] = ['event-without-time', 'negative-duration', 'range-repeated'];

const KINETO: Ledger = {
  records: [
    {
      events: /^X (cpu_op|operator|user_annotation|python_function|overhead|\w*runtime|\w+_driver)$/i,
      records: ['range'],
      skipped: SKIPPED_HOST,
      skippedAtMost: ['duplicate-launch-row'],
    },
    {
      events: /^X (kernel|mtia_ccp_events|gpu_memcpy|memcpy|gpu_memset|memset|cuda_sync)$/i,
      records: ['kernel', 'copy', 'set', 'sync'],
      skipped: ['row-repeated'],
    },
    {
      events: /^[iI] (cpu_instant_event|\[memory\])$/,
      records: ['sample:memory_allocated', 'sample:memory_allocated_since_first'],
    },
  ],
  others: [
    { events: /^second document$/, why: 'a diagnostic' },
    { events: /^M /, why: NAMES },
    { events: /^[stf] /, why: ARROWS },
    { events: /^X (gpu_user_annotation)$/, why: REPEATED },
    { events: /^(X Trace|[iI] (Record|Iteration))$/, why: 'marks of the profiler around its window' },
  ],
};

const DESCRIPTIONS =
  /^(ENUM_|TARGET_INFO_|META_DATA_|ANALYSIS_|EXPORT_|NVTX_PAYLOAD_|StringIds|ProcessStreams|PROCESSES|ThreadNames|UnwindMethodType|sqlite_|Version|StringTable)/;
const OF_CONTEXTS = /^CUPTI_ACTIVITY_KIND_(CONTEXT|DEVICE|DEVICE_ATTRIBUTE|NAME|PCIE|NVLINK|ENVIRONMENT)$/;

const SKIPPED_CALLS: readonly DiagnosticName[] = ['bad-row'];

const CUPTI_WORK: readonly RecordEntry[] = [
  {
    events: /^CUPTI_ACTIVITY_KIND_(CONCURRENT_)?KERNEL( \d+)?$/,
    records: ['kernel'],
  },
  { events: /^CUPTI_ACTIVITY_KIND_MEMCPY2?$/, records: ['copy'] },
  { events: /^CUPTI_ACTIVITY_KIND_MEMSET$/, records: ['set'] },
  { events: /^CUPTI_ACTIVITY_KIND_SYNCHRONIZATION$/, records: ['sync'] },
  { events: /^CUPTI_ACTIVITY_KIND_GRAPH_TRACE$/, records: ['graph'] },
  { events: /^CUPTI_ACTIVITY_KIND_(RUNTIME|DRIVER)$/, records: ['range:api'], skipped: SKIPPED_CALLS },
];
const OTHER_RANGES = ['annotation', 'layer', 'marker', 'op'].map((kind) => `range:${kind}`);

const NSIGHT: Ledger = {
  records: [
    ...CUPTI_WORK,
    {
      events: /^NVTX_EVENTS (59|60|70|71)$/,
      records: OTHER_RANGES,
      skipped: ['range-across-threads', 'negative-duration'],
    },
    { events: /^(PROFILER_OVERHEAD|CUPTI_ACTIVITY_KIND_OVERHEAD)$/, records: ['range:overhead'] },
    { events: /^CUDA_GPU_MEMORY_USAGE_EVENTS/, records: ['sample:memory_allocated'] },
  ],
  others: [
    { events: DESCRIPTIONS, why: NAMES },
    { events: /^NVTX_EVENTS (33|39|72|73|74|75|76|97|98|99)$/, why: NAMES },
    { events: /CALLCHAINS$|^OSRT_FILE_ACCESS|^CUDA_GRAPH/, why: JOINED },
    { events: /^(SCHED_EVENTS|COMPOSITE_EVENTS)$/, why: SERIES },
    { events: /^DIAGNOSTIC_EVENT$/, why: 'messages of the profiler; its warnings and errors are diagnostics' },
  ],
};

const NVPROF: Ledger = {
  records: [
    ...CUPTI_WORK,
    {
      events: /^CUPTI_ACTIVITY_KIND_MARKER$/,
      records: OTHER_RANGES,
      each: 2,
      skipped: ['range-without-start'],
      alone: ['open-range'],
      kinds: /CUPTI_ACTIVITY_KIND_MARKER$/,
    },
    {
      events: /^CUPTI_ACTIVITY_KIND_OVERHEAD$/,
      records: ['range:overhead'],
      kinds: /CUPTI_ACTIVITY_KIND_OVERHEAD$/,
    },
  ],
  others: [
    { events: DESCRIPTIONS, why: NAMES },
    { events: OF_CONTEXTS, why: NAMES },
    { events: /^CUPTI_ACTIVITY_KIND_(METRIC|EVENT)(_INSTANCE)?$/, why: JOINED },
  ],
};

const ASCEND_WORK = ['kernel', 'copy', 'set', 'sync'];

const PARTS = /^X \{.*notify_id.*\}$/;

const ASCEND_TEXT: Ledger = {
  records: [
    {
      events: /^X \{(?!.*notify_id).*Task Type.*\}$/,
      records: ASCEND_WORK,
      skipped: ['task-passed-over'],
      perhaps: PARTS,
      kinds: /./,
    },
    { events: /^X (cpu_op|python_function|user_annotation|GC)$/, records: OTHER_RANGES.concat('range:frame') },
    { events: /^X \{(?=.*level).*\}$/, records: ['range:api'] },
    { events: /^X \{connection_id,.*\}$/, records: ['collective'] },
  ],
  others: [
    { events: /^M /, why: NAMES },
    { events: /^[stf] /, why: ARROWS },
    { events: /^X (enqueue|dequeue|async_npu)$/, why: ARROWS },
    { events: /^X (\{\})?$/, why: SUMS },
    { events: PARTS, why: 'parts of a collective, which its record sums up' },
    { events: /^C /, why: SERIES },
    { events: /\.csv$/, why: JOINED },
  ],
};

const ASCEND_RAW: Ledger = {
  records: [
    {
      events: /^(stars_soc\.data (0|34)|hwts\.data 0)$/,
      records: ASCEND_WORK,
      skipped: ['task-passed-over'],
      skippedAtMost: ['event-without-time'],
      // Tasks of a collective are parts of its record.
      perhaps: /^additional\.hccl_info$/,
      kinds: /./,
    },
    { events: /^api_event\.data$/, records: ['range:api'], skipped: ['negative-duration'] },
    {
      events: /^(torch\.(op_range|gc_record|python_tracer_func [02])|additional\.msproftx)$/,
      records: OTHER_RANGES.concat('range:frame'),
    },
    { events: /^compact\.hccl_op_info$/, records: ['collective'] },
  ],
  others: [
    { events: /^(stars_soc\.data (1|35)|hwts\.data 1)$/, why: 'ends of tasks' },
    { events: /^torch\.python_tracer_func [13]$/, why: 'returns of calls' },
    { events: /^torch\.op_mark$/, why: ARROWS },
    { events: /^(additional\.(hash_dic|type_info_dic)|torch\.python_tracer_hash)$/, why: NAMES },
    {
      events:
        /^(compact\.(task_track|node_basic_info|memcpy_info)|additional\.(tensor_info|context_id_info|hccl_info)|(ffts_profile|ts_track)\.data)$/,
      why: JOINED,
    },
    { events: /^(lpmFreqConv\.data|torch\.memory_usage)$/, why: SERIES },
  ],
};

/** A folder without a trace. */
const ASCEND_DETAILS: Ledger = {
  records: [
    {
      events: /^kernel_details\.csv$/,
      records: [...ASCEND_WORK, 'collective'],
      skipped: ['csv-row-passed-over', 'row-passed-over'],
    },
  ],
  others: [{ events: /\.csv$/, why: SUMS }],
};

const ASCEND_DATABASE: Ledger = {
  records: [
    { events: /^CANN_API$/, records: ['range:api'], skipped: SKIPPED_CALLS },
    { events: /^(PYTORCH_API (50001|50003)|MSTX_EVENTS \d+|GC_RECORD)$/, records: OTHER_RANGES.concat('range:frame') },
    { events: /^COMMUNICATION_OP$/, records: ['collective'] },
    {
      events: /^TASK$/,
      // The two marks of a range of the host are its range on the device.
      records: [...ASCEND_WORK, 'range:device', 'range:device'],
      skipped: ['task-passed-over'],
      perhaps: /^COMMUNICATION_TASK_INFO$/,
      kinds: /./,
    },
  ],
  others: [
    {
      events: /^ENUM_|^(META_DATA|STRING_IDS|RANK_DEVICE_MAP|SESSION_TIME_INFO|NPU_INFO|HOST_INFO|STEP_TIME)$/,
      why: NAMES,
    },
    {
      events:
        /^(COMPUTE_TASK_INFO|MEMCPY_INFO|COMMUNICATION_TASK_INFO|TASK_PMU_INFO|CONNECTION_IDS|PYTORCH_CALLCHAINS)$/,
      why: JOINED,
    },
    { events: /^PYTORCH_API 50002$/, why: ARROWS },
    {
      events:
        /^(AICORE_FREQ|HBM|LLC|ACC_PMU|SOC_BANDWIDTH_LEVEL|NPU_MEM|NPU_OP_MEM|NPU_MODULE_MEM|MEMORY_RECORD|OP_MEMORY)$/,
      why: SERIES,
    },
  ],
};

const NEURON_JSON: Ledger = {
  records: [
    { events: /^instruction$/, records: ['kernel'] },
    { events: /^dma$/, records: ['copy'] },
    { events: /^semaphore_update$/, records: ['sample:semaphore'] },
    { events: /^ham$/, records: ['sample:throttle'] },
    { events: /^dma_throughput$/, records: ['sample:dma_transfer_rate'] },
    { events: /^pending_dma$/, records: ['sample:pending_dma'] },
    { events: /^instruction_usage$/, records: ['sample:psum_usage', 'sample:sb_usage'] },
    { events: /^layer_summary$/, records: ['layer'] },
    { events: /^warnings$/, records: ['notice'] },
    { events: /^nc_mem_usage$/, records: ['sample:memory'] },
    { events: /^dma_queues_info$/, records: ['sample:dma_queue'] },
  ],
  others: [
    {
      events:
        /^(profile_info|metadata|neff_header|neff_node|model_info|summary_groups|summary_group_order|terminology)$/,
      why: NAMES,
    },
    { events: /^summary$/, why: 'metrics of the profiler, a sample each' },
    { events: /^active_time$/, why: SUMS },
  ],
};

const NTFF: Ledger = {
  records: [
    {
      events: /^(instruction phase [^1]|packet phase ([^56]|..)|semaphore|throttle|section .*)$/,
      records: ['kernel', 'copy', 'sample:semaphore', 'sample:throttle'],
      skipped: ['record-without-end', 'outside-execution', 'unknown-record', 'unread-section'],
    },
  ],
  others: [{ events: /^(instruction phase 1|packet phase [56])$/, why: 'ends of instructions and packets' }],
};

const NEURON_SUMMARY: Ledger = {
  records: [{ events: /^n_/, records: ['sample:*'] }],
  others: [{ events: /^_/, why: 'notes' }],
};

const NEURON_MONITOR: Ledger = {
  records: [
    {
      events: /^value$/,
      records: ['sample:*'],
      perhaps: /^null$/,
      skipped: ['unknown-field', 'withheld-value', 'too-deep'],
    },
    { events: /^error$/, records: ['notice'] },
    { events: /^line that/, records: [], skipped: ['malformed-event'] },
  ],
  others: [{ events: /^(no error|null)$/, why: 'groups without an error, or without values' }],
};

/** Tables end in the id of the process run; views without it show their rows again. */
const ROCPD: Ledger = {
  records: [
    { events: /^rocpd_region_[\da-f]{8}/, records: ['range'], skipped: ['event-not-read'] },
    { events: /^rocpd_kernel_dispatch_[\da-f]{8}/, records: ['kernel'] },
    { events: /^rocpd_memory_copy_[\da-f]{8}/, records: ['copy'] },
    {
      events: /^rocpd_(memory_allocate|sample)_[\da-f]{8}/,
      records: ['sample:*'],
      skipped: ['free-without-allocation'],
    },
  ],
  others: [
    { events: /^rocpd_(string|info_\w+|metadata|track)_[\da-f]{8}/, why: NAMES },
    { events: /^rocpd_(event|arg|pmc_event)_[\da-f]{8}/, why: JOINED },
    { events: /^rocpd_[a-z_]+$/, why: 'views of the same tables' },
    { events: /^sqlite_/, why: NAMES },
  ],
};

const ROCPROFV3_JSON: Ledger = {
  records: [
    { events: /^\w+_api$/, records: ['range'] },
    { events: /^kernel_dispatch$/, records: ['kernel'] },
    { events: /^memory_copy$/, records: ['copy'] },
    { events: /^memory_allocation$/, records: ['sample:memory_allocated'], skipped: ['free-without-allocation'] },
  ],
  others: [
    { events: /^(agents|counters|kernel_symbols|code_objects|host_functions|summary|\w+\..*)$/, why: NAMES },
    { events: /^counter_collection$/, why: JOINED },
  ],
};

const ROCPROF_V1: Ledger = {
  records: [
    { events: /^(HIP|HSA)$/, records: ['range'] },
    { events: /^(OPS|KERN)$/, records: ['kernel'] },
    { events: /^COPY$/, records: ['copy'] },
  ],
  others: [],
};

const XPLANE: Ledger = {
  records: [
    { events: /^(kernel|op)$/, records: ['kernel'], kinds: /^instructions that contain others$/ },
    { events: /^(memcpy|transfer)$/, records: ['copy', 'collective'] },
    { events: /^memset$/, records: ['set'] },
    { events: /^wait$/, records: ['sync'] },
    { events: /^module$/, records: ['sample:xla_module'] },
    { events: /^memory$/, records: ['sample:memory_allocated'] },
    { events: /^host event$/, records: ['range'], skipped: ['range-repeated'] },
  ],
  others: [{ events: /^step$/, why: JOINED }],
};

const TENSORBOARD: Ledger = {
  records: [
    { events: /^X \{.*\bhlo_op\b/, records: ['kernel'] },
    { events: /^X \{.*\bmemcpy_details\b/, records: ['copy'] },
    { events: /^X \{correlation_id\}$/, records: ['range'] },
  ],
  others: [
    { events: /^M /, why: NAMES },
    { events: /^X \{group_id,step_name\}$/, why: JOINED },
    { events: /^no phase/, why: 'the empty object behind the last event' },
  ],
};

/** By the id of a reader. */
export const LEDGERS: Readonly<Record<string, Ledger>> = {
  ...{ kineto: KINETO, nsight: NSIGHT, nvprof: NVPROF, 'ascend-db': ASCEND_DATABASE, 'ascend-text': ASCEND_TEXT },
  ...{
    rocpd: ROCPD,
    'rocprofv3-json': ROCPROFV3_JSON,
    'rocprof-v1': ROCPROF_V1,
    'ascend-details': ASCEND_DETAILS,
    'ascend-raw': ASCEND_RAW,
    xplane: XPLANE,
    'xplane-json': TENSORBOARD,
  },
  ...{ 'neuron-json': NEURON_JSON, ntff: NTFF, 'neuron-summary': NEURON_SUMMARY, 'neuron-monitor': NEURON_MONITOR },
};
