/**
 * Tables and columns of Nsight Systems exports that are copied, and the kinds of their texts. Source: NVIDIA Nsight Systems
 * documentation, "SQLite Schema Reference", and exports from 2019 to 2026.
 */
import type { TextKind } from './texts.js';

/** How a text in a row is replaced; `null` to leave it out. */
export type NsightText = TextKind | 'nvtx' | 'payload' | 'json' | 'message' | null;

interface TableRules {
  /** Kinds of columns that hold texts. */
  readonly texts?: Readonly<Record<string, NsightText>>;
  /** Kinds of columns that hold the number of a row of StringIds. */
  readonly strings?: Readonly<Record<string, NsightText>>;
}

const API: TableRules = { strings: { nameId: 'api', endNameId: 'api' } };
const CHAIN: TableRules = { strings: { symbol: 'symbol', module: 'path' }, texts: { symbolName: 'symbol' } };
const NONE: TableRules = {};

/** The same rules for several tables, whose names are separated by spaces. */
const withRules = (rules: TableRules, names: string): Record<string, TableRules> =>
  Object.fromEntries(names.split(' ').map((name) => [name, rules]));

/** Rules by name of the table, without a version such as `_V2` at its end. Other tables are left out. */
export const NSIGHT_TABLES: Readonly<Record<string, TableRules>> = {
  StringIds: NONE,
  ...withRules(
    NONE,
    'ANALYSIS_DETAILS TARGET_INFO_SESSION_START_TIME TARGET_INFO_CUDA_CONTEXT_INFO TARGET_INFO_CUDA_NULL_STREAM TARGET_INFO_CUDA_STREAM TARGET_INFO_CUDA_DEVICE CUPTI_ACTIVITY_KIND_MEMSET CUPTI_ACTIVITY_KIND_SYNCHRONIZATION CUPTI_ACTIVITY_KIND_GRAPH_TRACE CUPTI_ACTIVITY_KIND_CUDA_EVENT SCHED_EVENTS COMPOSITE_EVENTS GPU_METRICS CUDA_GPU_MEMORY_USAGE_EVENTS CUDA_UM_GPU_PAGE_FAULT_EVENTS FECS_EVENTS NVTX_PAYLOAD_SCHEMAS GPU_CONTEXT_SWITCH_EVENTS CUPTI_ACTIVITY_KIND_MEMCPY',
  ),
  ...withRules(
    API,
    'CUPTI_ACTIVITY_KIND_RUNTIME CUDA_GRAPH_EVENTS CUDA_GRAPH_NODE_EVENTS OSRT_API CUDNN_EVENTS CUBLAS_EVENTS NVVIDEO_ENCODER_API NVVIDEO_DECODER_API MPI_P2P_EVENTS MPI_COLLECTIVES_EVENTS MPI_OTHER_EVENTS MPI_START_WAIT_EVENTS UCP_EVENTS',
  ),
  ...withRules(CHAIN, 'SAMPLING_CALLCHAINS OSRT_CALLCHAINS CUDA_CALLCHAINS'),
  ...withRules({ strings: { nameId: 'activity' } }, 'PROFILER_OVERHEAD CUPTI_ACTIVITY_KIND_OVERHEAD'),
  CUPTI_ACTIVITY_KIND_KERNEL: {
    strings: { demangledName: 'kernel', shortName: 'kernel', mangledName: 'kernel' },
    texts: { tensorSizeMinusOneElements: null },
  },
  ThreadNames: { strings: { nameId: 'thread' } },
  PROCESSES: { texts: { name: 'process' } },
  TARGET_INFO_PROCESS: { strings: { nameId: 'process' }, texts: { openGlVersion: null } },
  TARGET_INFO_GPU: { texts: { name: 'device', chipName: 'device', uuid: null, busLocation: null, luid: null } },
  TARGET_INFO_GPU_METRICS: { texts: { typeName: 'text', metricName: 'metric' } },
  NVTX_EVENTS: {
    texts: { text: 'nvtx', jsonText: 'json', binaryData: 'payload' },
    strings: { textId: 'nvtx', jsonTextId: 'json' },
  },
  NVTX_PAYLOAD_SCHEMA_ENTRIES: { texts: { name: 'text', description: null } },
  DIAGNOSTIC_EVENT: { texts: { text: 'message' } },
  META_DATA_EXPORT: { texts: { name: 'text', value: 'version' } },
  EXPORT_META_DATA: { texts: { name: 'text', value: 'version' } },
  TARGET_INFO_SYSTEM_ENV: { texts: { name: 'text', value: 'host' } },
};

/** Tables with the names of codes, without `ENUM_` at the start. */
export const NSIGHT_ENUMS: ReadonlySet<string> = new Set(
  'CUDA_DEV_MEM_EVENT_OPER CUDA_FUNC_CACHE_CONFIG CUDA_KERNEL_LAUNCH_TYPE CUDA_KRENEL_LAUNCH_TYPE CUDA_MEMCPY_OPER CUDA_MEMPOOL_OPER CUDA_MEMPOOL_TYPE CUDA_MEM_KIND CUDA_SHARED_MEM_LIMIT_CONFIG CUDA_UNIF_MEM_ACCESS_TYPE CUDA_UNIF_MEM_MIGRATION CUPTI_OVERHEAD_TYPE CUPTI_STREAM_TYPE CUPTI_SYNC_TYPE D3D12_CMD_LIST_TYPE D3D12_HEAP_FLAGS D3D12_HEAP_TYPE D3D12_PAGE_PROPERTY DIAGNOSTIC_SEVERITY_LEVEL DIAGNOSTIC_SOURCE_TYPE DIAGNOSTIC_TIMESTAMP_SOURCE DXGI_FORMAT ETW_MEMORY_TRANSFER_TYPE GPU_CTX_SWITCH NET_DEVICE_ID NET_IB_CONGESTION_EVENT_TYPE NET_IB_DEVICE_TYPE NET_LINK_TYPE NET_VENDOR_ID NSYS_EVENT_CLASS NSYS_EVENT_TYPE NSYS_GENERIC_EVENT_FIELD_ETW_FLAGS NSYS_GENERIC_EVENT_FIELD_ETW_PROPERTY NSYS_GENERIC_EVENT_FIELD_ETW_TYPE NSYS_GENERIC_EVENT_FIELD_TYPE NSYS_GENERIC_EVENT_GROUP NSYS_GENERIC_EVENT_SOURCE NVDRIVER_EVENT_ID OPENACC_DEVICE OPENACC_EVENT_KIND OPENGL_DEBUG_SEVERITY OPENGL_DEBUG_SOURCE OPENGL_DEBUG_TYPE OPENMP_DISPATCH OPENMP_EVENT_KIND OPENMP_MUTEX OPENMP_SYNC_REGION OPENMP_TASK_FLAG OPENMP_TASK_STATUS OPENMP_THREAD OPENMP_WORK OSRT_FILE_ACCESS_EVENT_TYPE PMU_EVENT_SOURCE PMU_UNIT_TYPE SAMPLING_THREAD_STATE SCHEDULING_THREAD_BLOCK SLI_TRANSER STACK_UNWIND_METHOD VIDEO_ENGINE_CODEC VIDEO_ENGINE_TYPE VULKAN_PIPELINE_CREATION_FLAGS WDDM_ENGINE_TYPE WDDM_INTERRUPT_TYPE WDDM_PACKET_TYPE WDDM_PAGING_QUEUE_TYPE WDDM_VIDMM_OP_TYPE'.split(
    ' ',
  ),
);

/** Conditions for rows that are copied, by table; of all other tables, every row is copied. */
export const NSIGHT_ROWS: Readonly<Record<string, string>> = {
  TARGET_INFO_SYSTEM_ENV: "name = 'Hostname'",
  META_DATA_EXPORT: "name GLOB 'EXPORT_*VERSION*'",
  EXPORT_META_DATA: "name GLOB 'EXPORT_*VERSION*'",
};

/** Names of columns that are copied. */
export const NSIGHT_COLUMNS: ReadonlySet<string> = new Set(
  'utcEpochNs systemClockNs globalVid duration startTime stopTime vmId id name isDiscrete l2CacheSize totalMemory memoryBandwidth clockRate smCount chipName cuDevice maxRegistersPerBlock maxShmemPerBlock maxShmemPerBlockOptin maxShmemPerSm maxRegistersPerSm threadsPerWarp asyncEngines maxWarpsPerSm maxBlocksPerSm maxThreadsPerBlock computeMajor computeMinor smMajor smMinor globalPid pid gpuId cudaId numMultiprocessors value nameId priority globalTid start end eventClass correlationId returnValue callchainId deviceId contextId greenContextId streamId demangledName shortName mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig graphId clusterX clusterY clusterZ clusterSchedulingPolicy maxPotentialClusterSize maxActiveClusters bytes copyKind srcKind dstKind srcDeviceId srcContextId dstDeviceId dstContextId migrationCause copyCount memKind deprecatedSyncType syncType eventId eventSyncId graphExecId eventType rangeId category color text endGlobalTid textId domainId uint64Value int64Value doubleValue uint32Value int32Value floatValue jsonTextId jsonText binaryData originalGraphNodeId originalGraphId timestamp timestampType source severity cpu isSchedIn threadState threadBlock nameEnum overheadType nestingLevel symbol module kernelMode unresolved stackDepth nullStreamId hwId processId parentContextId isGreenContext flag schemaId type flags numEntries payloadSize alignTo idx arrayOrUnionDetail offset cpuCycles symbolName rawTimestamp typeId sourceId metricId typeName metricName memoryOperationType address pc endCorrelationId endNameId numberOfPageFaults faultAccessType gpu tag seqNo'.split(
    ' ',
  ),
);
