/**
 * Keys of an event's `args` that are read. Keys are compared without regard to case: parts of collectives have
 * `task type` where tasks have `Task Type`.
 * Source: trace_view.json of torch_npu and MindStudio, 2024 to 2026.
 */
const ARG_KEYS = {
  sequence: 'Sequence number',
  forwardThread: 'Fwd thread id',
  dims: 'Input Dims',
  types: 'Input type',
  callStack: 'Call stack',
  /** Of the launch queue. */
  queued: 'correlation_id',
  connection: 'connection_id',
  taskType: 'Task Type',
  stream: 'Physic Stream Id',
  oldStream: 'Stream Id',
  task: 'Task Id',
  batch: 'Batch Id',
  subtask: 'Subtask Id',
  /** Of CANN calls: `node`, `acl`, `runtime`. */
  level: 'level',
  /** Of collectives. */
  dataType: 'data_type',
  algorithm: 'alg_type',
  count: 'count',
  /** Of their parts. */
  link: 'link type',
  source: 'src rank',
  destination: 'dst rank',
  transport: 'transport type',
  size: 'size(Byte)',
  notify: 'notify_id',
  /** Of ranges of msprof_tx. */
  eventType: 'event_type',
  domain: 'domain',
  /** Of metadata: name of a process or thread. */
  label: 'name',
  labels: 'labels',
} as const;

/** The keys in order of their codes. */
export const ASCEND_ARGS: readonly string[] = Object.values(ARG_KEYS);

/** The code of each key of `args`. */
export const ARG = Object.fromEntries(Object.keys(ARG_KEYS).map((name, code) => [name, code])) as Readonly<
  Record<keyof typeof ARG_KEYS, number>
>;
