/**
 * Fields of the vendor tool's JSON and their names in records. The reader of that JSON and the writer of its tables (`dprof
 * summary --tables`) use the same lists. Source: files of neuron-profile 2.28; for collectives AWS's profile schema
 * reference.
 */

/** A field of the vendor's tool, and its name in records. */
export type FieldName = readonly [key: string, name: string];

/** `counters` of an instruction. Waits (`evt_wait_time`) are not here, because their unit differs: `waitNs`. */
export const INSTRUCTION_COUNTERS: readonly FieldName[] = [
  ['pc', 'pc'],
  ['crc_in', 'crcIn'],
  ['crc_out', 'crcOut'],
  ['elements', 'elements'],
  ['hbm_read_bytes', 'hbmReadBytes'],
  ['hbm_write_bytes', 'hbmWriteBytes'],
  ['sbuf_read_bytes', 'sbufReadBytes'],
  ['sbuf_write_bytes', 'sbufWriteBytes'],
  ['psum_read_bytes', 'psumReadBytes'],
  ['psum_write_bytes', 'psumWriteBytes'],
  ['psum_read_sbuf_write_bytes', 'psumReadSbufWriteBytes'],
  ['compiler_pc', 'compilerPc'],
];

/** Stands for a checksum that was not computed. */
export const NO_CRC = 0xffff;

/** `labels` of an instruction: strings that identify it in the compiler's and the framework's program. */
export const INSTRUCTION_LABELS: readonly FieldName[] = [
  ['label', 'label'],
  ['instruction_type', 'type'],
  ['bir_id', 'birId'],
  ['bir_instruction_name', 'birName'],
  ['penguin_id', 'penguinId'],
  ['activation_fn', 'activation'],
  ['hlo_attrs', 'hloAttrs'],
  ['compiler_opcode', 'compilerOpcode'],
  ['compiler_operands', 'compilerOperands'],
  ['bir_debug_info_source_location', 'birSource'],
];

export const DEPENDENCY_KINDS: readonly FieldName[] = [
  ['FLOW_DEPENDENCE', 'flow'],
  ['ANTI_DEPENDENCE', 'anti'],
  ['OUTPUT_DEPENDENCE', 'output'],
  ['ORDERED', 'ordered'],
];

/** `counters` of a DMA packet. */
export const PACKET_COUNTERS: readonly FieldName[] = [
  ['crc', 'crc'],
  ['read_size', 'readBytes'],
  ['write_size', 'writeBytes'],
  ['transfer_rate', 'bytesPerS'],
];

/** `labels` of a DMA packet, without empty and unknown strings. */
export const PACKET_LABELS: readonly FieldName[] = [
  ['id', 'id'],
  ['variable', 'variable'],
  ['op', 'op'],
  ['packet_aggregation_id', 'transfer'],
];

/** `labels` of flags that every packet has, but that are rarely set. */
export const PACKET_FLAGS: readonly FieldName[] = [
  ['is_cc_dma', 'collective'],
  ['aggregated', 'aggregated'],
  ['duplicate', 'duplicate'],
];

export const NO_SEMAPHORE = '-1';

/** `labels` of a DMA rate: running totals, and the part of device memory. */
export const RATE_LABELS: readonly FieldName[] = [
  ['total_transfer_bytes', 'totalBytes'],
  ['hbm_transfer_rate', 'hbmBytesPerS'],
  ['hbm_total_transfer_bytes', 'hbmTotalBytes'],
];

/** `counters` of a collective operation. The delay after its trigger has a separate name: `triggerDelayNs`. */
export const COLLECTIVE_COUNTERS: readonly FieldName[] = [
  ['num_elements', 'elements'],
  ['input_size', 'inputBytes'],
  ['output_size', 'outputBytes'],
  ['algorithm_bandwidth', 'algorithmBytesPerS'],
  ['bus_bandwidth', 'busBytesPerS'],
];

/** `labels` of a collective operation. */
export const COLLECTIVE_LABELS: readonly FieldName[] = [
  ['op_id', 'opId'],
  ['stream_id', 'streamId'],
  ['stream_index', 'streamIndex'],
  ['trigger_engine', 'triggerEngine'],
  ['replica_group_id', 'replicaGroupId'],
];

/** `labels` of a DMA queue of a core. */
export const QUEUE_LABELS: readonly FieldName[] = [
  ['q_name', 'name'],
  ['q_type', 'type'],
  ['q_eng_idx', 'lastEngine'],
  ['q_axi_port', 'axiPort'],
  ['q_dram_channel', 'dramChannel'],
  ['q_event_id', 'eventId'],
];

/** `facts` of a profile, from the header of its program. */
export const HEADER_FACTS: readonly FieldName[] = [
  ['network_name', 'model'],
  ['uuid', 'uuid'],
  ['hash', 'hash'],
  ['enabled_features', 'features'],
  ['package_version', 'packageVersion'],
  ['number_of_logical_neuroncores', 'logicalCores'],
  ['number_of_neuroncores_per_lnc', 'lncSize'],
  ['build_version', 'buildVersion'],
  ['header_size', 'headerBytes'],
  ['data_size', 'dataBytes'],
];

/** `facts` of a profile, stated by the tool about itself. */
export const TOOL_FACTS: readonly FieldName[] = [
  ['profiler_build_time', 'profilerBuildTime'],
  ['profile_type', 'profileType'],
];

export const TENSOR_ROLES = { IN: 'input', OUT: 'output', WEIGHT: 'weight' } as const;
