/**
 * A run as the text that torch_npu writes: trace_view.json and its tables. Source: such files from 2024 to 2026.
 * Times are strings in µs; those of tables end in a tab, and shapes have quotes of their own.
 */
import { countersOf, EPOCH, PID, repeated, shapesText, TIDS } from './ascend-database.js';
import { DEVICE, GROUP, type AscendRun, type DeviceTask, type HostOp } from './ascend-run.js';

type Fields = Readonly<Record<string, unknown>>;

/** Processes that the profiler numbers after that of the program. */
const own = (kind: number): number => PID * 1024 + kind * 32;
const PROCESS = { cann: own(7), device: own(13), collectives: own(15), clock: own(14) } as const;
const NONE = 4294967295;

const microseconds = (ns: number): string => (ns / 1000).toFixed(3);

/** Unix time in µs with three decimals. */
function timeText(ns: number): string {
  const time = EPOCH + BigInt(ns);
  return `${time / 1000n}.${String(time % 1000n).padStart(3, '0')}`;
}

const lasting = (name: string, pid: number, tid: number, [start, end]: readonly [number, number], rest: Fields): Fields => ({
  ph: 'X',
  name,
  pid,
  tid,
  ts: timeText(start),
  dur: (end - start) / 1000,
  ...rest,
}); // prettier-ignore

function hostEvent(op: HostOp): Fields {
  const { name, thread, start, end, inputs } = op;
  const list = (texts: readonly string[]): string => texts.join(';\r\n');
  const args =
    op.kind === 'frame'
      ? { 'Python id': 1 }
      : {
          'Sequence number': op.seq,
          'Fwd thread id': Number(op.backward),
          ...(inputs.length === 0
            ? {}
            : { 'Input Dims': list(inputs.map(({ shape }) => shape.join())), 'Input type': list(inputs.map(({ type }) => type)) }),
          ...(op.stack.length === 0 ? {} : { 'Call stack': list(op.stack) }),
        }; // prettier-ignore
  return lasting(name, PID, TIDS[thread], [start, end], {
    cat: op.kind === 'frame' ? 'python_function' : 'cpu_op',
    args,
  });
}

function deviceEvents({
  kind,
  work,
  connection,
  start,
  end,
  stream,
  task,
  launched,
  bytes = 0,
  name = '',
}: DeviceTask): Fields[] {
  if (kind === 'mark') return [];
  const api = { kernel: 'Node@launch', copy: 'AscendCL@aclrtMemcpyAsync', collective: 'HCCL@hcom_allReduce_' }[kind];
  const [level = '', id = ''] = api.split('@');
  const call = lasting(api, PROCESS.cann, TIDS.queue, [launched, launched + 2000], {
    args: { 'Thread Id': TIDS.queue, Mode: kind, level: level === 'AscendCL' ? 'acl' : level.toLowerCase(), id, item_id: '0', connection_id: connection },
  }); // prettier-ignore
  if (kind === 'collective') {
    const args = { connection_id: connection, data_type: 'FP16', alg_type: 'MESH-RING', count: bytes / 2 };
    const part = {
      notify_id: '0',
      'task type': 'Memcpy',
      'stream id': stream,
      'task id': task,
      'size(Byte)': bytes,
      'link type': 'HCCS',
    };
    return [
      call,
      lasting(name, PROCESS.collectives, 0, [start, end], { args }),
      lasting('Memcpy', PROCESS.collectives, 1, [start, end], { args: part }),
    ];
  }
  const type = work === undefined ? 'MEMCPY_ASYNC' : work.core;
  const args = {
    'Model Id': NONE,
    'Task Type': type,
    'Physic Stream Id': stream,
    'Task Id': task,
    'Batch Id': 0,
    'Subtask Id': NONE,
    connection_id: connection,
  };
  return [call, lasting(work?.name ?? 'MEMCPY_ASYNC', PROCESS.device, stream, [start, end], { args })];
}

/** From the op to the work that it launched. */
function flows(run: AscendRun): Fields[] {
  const tasks = new Map(run.tasks.map((task) => [task.connection, task]));
  return run.ops.flatMap((op) =>
    op.connections.flatMap((connection) => {
      const task = tasks.get(connection);
      if (task === undefined) return [];
      const to =
        task.kind === 'collective' ? { pid: PROCESS.collectives, tid: 0 } : { pid: PROCESS.device, tid: task.stream };
      // An id of 19 digits, as text: a number would not hold it.
      const flow = { bp: 'e', name: 'torch_to_npu', id: String(EPOCH + BigInt(task.start)), cat: 'async_npu' };
      return [
        { ph: 's', ...flow, pid: PID, tid: TIDS[op.thread], ts: timeText(op.start) },
        { ph: 'f', ...flow, ...to, ts: timeText(task.start) },
      ];
    }),
  );
}

function traceText(run: AscendRun): string {
  const names = Object.entries({
    cann: 'CANN',
    device: 'Ascend Hardware',
    collectives: 'Communication',
    clock: 'AI Core Freq',
  });
  const events: Fields[] = [
    { ph: 'M', name: 'process_name', pid: PID, tid: 0, args: { name: 'Python' } },
    ...names.map(([kind, name]) => ({
      ph: 'M',
      name: 'process_name',
      pid: PROCESS[kind as keyof typeof PROCESS],
      tid: 0,
      args: { name },
    })),
    ...run.ops.map(hostEvent),
    ...run.tasks.flatMap(deviceEvents),
    { ph: 'C', name: 'AI Core Freq', pid: PROCESS.clock, tid: 0, ts: timeText(0), args: { MHz: DEVICE.clockHz / 1e6 } },
    ...flows(run),
  ];
  return `[${events.map((event) => JSON.stringify(event)).join(',\n')}]\n`;
}

/** Cells as the profiler writes them, lines ended by CR LF. */
const csv = (rows: readonly (readonly (string | number)[])[]): string =>
  rows
    .map(
      (row) =>
        `${row.map((cell) => (/[",]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(',')}\r\n`,
    )
    .join('');

/** Counters of tables: times in µs under other names than in databases. */
const COUNTERS = [
  ['aicore_time(us)', 'aic_total_time', 1e-3],
  ['aic_total_cycles', 'aic_total_cycles', 1],
  ['aic_mac_time(us)', 'aic_mac_time', 1e-3],
  ['aic_mac_ratio', 'aic_mac_ratio', 1],
  ['aiv_time(us)', 'aiv_total_time', 1e-3],
  ['aiv_total_cycles', 'aiv_total_cycles', 1],
  ['aiv_vec_time(us)', 'aiv_vec_time', 1e-3],
  ['aiv_vec_ratio', 'aiv_vec_ratio', 1],
] as const;

function detailsText({ tasks, steps }: AscendRun): string {
  const header = (
    'Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,' +
    'Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID'
  ).split(',');
  const rows = tasks.flatMap((task) => {
    const { kind, work, start, end, stream, launched, name = '' } = task;
    if (kind !== 'kernel' && kind !== 'collective') return [];
    const step =
      steps.find((candidate) => candidate.start <= launched && launched <= candidate.end + 100_000)?.id ?? '';
    const times = [`${timeText(start)}\t`, microseconds(end - start), '0.000'];
    const place = [step, 0, NONE, task.task, stream];
    const none = Array.from({ length: COUNTERS.length + 1 }, () => 'N/A');
    if (work === undefined)
      return [
        [
          ...place,
          name,
          'hcom_allReduce_',
          'N/A',
          'COMMUNICATION',
          ...times,
          0,
          0,
          'NO',
          ...Array.from({ length: 7 }, () => 'N/A'),
          ...none,
        ],
      ];
    const counters: Readonly<Record<string, number | undefined>> = countersOf(task, work);
    const side = (shapes: readonly (readonly number[])[]): string[] => [
      shapesText(shapes),
      repeated(work.dtype, shapes),
      repeated('ND', shapes),
    ];
    const cycles = counters['aic_total_cycles'];
    const capacity = (end - start) * DEVICE.cores * (DEVICE.clockHz / 1e9);
    return [[
      ...place, work.name, work.opType, 'static', work.core, ...times, work.blocks, 0, 'NO', ...side(work.inputs), ...side(work.outputs), 'N/A',
      ...COUNTERS.map(([, name, scale]) => { const value = counters[name]; return value === undefined ? 0 : Number((value * scale).toFixed(3)); }),
      cycles === undefined ? 'N/A' : ((cycles / capacity) * 100).toFixed(3),
    ]]; // prettier-ignore
  });
  return csv([[...header, ...COUNTERS.map(([name]) => name), 'cube_utilization(%)'], ...rows]);
}

const MB = 1024 * 1024;

function memoryText({ memory }: AscendRun): string {
  const changes = memory.flatMap(({ start, end, held, bytes }) => [
    [start, held] as const,
    ...(end === null ? [] : [[end, held - bytes] as const]),
  ]);
  const rows = changes
    .toSorted(([a], [b]) => a - b)
    .map(([time, held]) => ['PTA', `${timeText(time)}\t`, held / MB, 512, held / MB, 1, 'NPU:0']);
  return csv([
    [
      'Component',
      'Timestamp(us)',
      'Total Allocated(MB)',
      'Total Reserved(MB)',
      'Total Active(MB)',
      'Stream Ptr',
      'Device Type',
    ],
    ...rows,
  ]);
}

function allocationsText({ memory }: AscendRun): string {
  const header =
    'Name,Size(KB),Allocation Time(us),Release Time(us),Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),Stream Ptr,Device Type';
  const rows = memory.map(({ op, bytes, start, end, held }) => [
    op,
    bytes / 1024,
    `${timeText(start)}\t`,
    end === null ? '' : `${timeText(end)}\t`,
    end === null ? '' : microseconds(end - start),
    held / MB,
    512,
    held / MB,
    1,
    'NPU:0',
  ]);
  return csv([header.split(','), ...rows]);
}

function ratesText({ tasks }: AscendRun): string {
  const rows = tasks.flatMap(({ work, stream, task }) =>
    work === undefined ? [] : [[stream, task, work.core === 'AI_CORE' ? 0.9 : 0.5, 0.125, work.name]],
  );
  return csv([['Stream Id', 'Task Id', 'Hit Rate', 'Victim Rate', 'Op Name'], ...rows]);
}

function communicationText({ tasks, steps }: AscendRun): string {
  const collectives = tasks.filter(({ kind }) => kind === 'collective');
  const entries = steps.map(({ id }, i) => {
    const { start = 0, end = 0, bytes = 0, name = '' } = collectives[i] ?? {};
    const ms = (end - start) / 1e6;
    const facts = {
      'Communication Time Info': { 'Start Timestamp(us)': Number(timeText(start)), 'Elapse Time(ms)': ms, 'Transit Time(ms)': ms * 0.75, 'Wait Time(ms)': ms * 0.125, 'Synchronization Time(ms)': ms * 0.125, 'Idle Time(ms)': ms * 0.125 },
      'Communication Bandwidth Info': { HCCS: { 'Transit Size(MB)': bytes / 1e6, 'Transit Time(ms)': ms * 0.75, 'Bandwidth(GB/s)': bytes / 1e6 / (ms * 0.75) } },
    }; // prettier-ignore
    return [`step${id}`, { p2p: {}, collective: { [`${name}@${GROUP}`]: facts } }];
  });
  return `${JSON.stringify(Object.fromEntries(entries), null, 1)}\n`;
}

const INFO = {
  config: {
    common_config: { record_shapes: true, profile_memory: true, with_stack: true, with_flops: false, with_modules: true },
    experimental_config: { _profiler_level: 'Level1', _aic_metrics: 'PipeUtilization', _l2_cache: true, _export_type: ['text'] },
  },
  rank_id: 0,
  torch_npu_version: '2.6.0',
  cann_version: '8.2.0',
}; // prettier-ignore

/** The files by their paths in the profile's folder. */
export function ascendText(run: AscendRun): Readonly<Record<string, string>> {
  const output = {
    'trace_view.json': traceText(run),
    'kernel_details.csv': detailsText(run),
    'memory_record.csv': memoryText(run),
    'operator_memory.csv': allocationsText(run),
    'l2_cache.csv': ratesText(run),
    'communication.json': communicationText(run),
  };
  return {
    'profiler_info_0.json': `${JSON.stringify(INFO, null, 1)}\n`,
    ...Object.fromEntries(Object.entries(output).map(([name, text]) => [`ASCEND_PROFILER_OUTPUT/${name}`, text])),
  };
}
