/**
 * Reader for rpd databases of AMD's rocmProfileData. Times are ns since the machine started; devices are only numbers,
 * which count CPUs too. Source: schemas 2 and 3 and the code of rocmProfileData that writes them; databases of schema 2.
 */
import type { Reader } from '../../reader.js';
import { databaseTrace, type DatabaseTrace } from '../../sqlite/database-trace.js';
import type { TextLookup } from '../../sqlite/sqlite.js';
import { CounterSums } from '../../amd/counter-sums.js';
import { blocksOf, copyKind, hexOf } from '../../amd/work-rows.js';

const TIMES = ['rocpd_api', 'rocpd_op', 'rocpd_monitor'].map((table) => [table, 'start'] as const);
/** Operations that are kernels; a `Task` is a kernel of a graph. */
const KERNEL = /^(?:KernelExecution|Task|KERNEL_DISPATCH)/;
/** Strings of ranges that state the op's call, as `emit_nvtx` of PyTorch prints them. */
const STATED = /, (?:seq|op_id|sizes) = /;
/** Overhead of the tracer itself, on its own threads or around the whole program. */
const TRACER = /::writeRows$|^(?:hcc_activity_callback|rpdflush|run_to_completion)$/;
/** Launches whose grid counts threads. That of other launches counts blocks, except where rocprofiler-sdk traced them. */
const OF_THREADS = /^hip(?:Ext|Hcc)ModuleLaunchKernel$/;

export const rpd: Reader = {
  id: 'rpd',
  title: 'rocmProfileData SQLite database (runTracer.sh -o FILE)',
  reads: 'database',
  fileNames: /\.rpd(?:\.gz)?$/,
  tableNames: ['rocpd_api'],
  docs: {
    profiler: 'AMD rocprofv3, rocmProfileData',
    input: 'rpd database',
    made: ['`runTracer.sh -o trace.rpd python train.py` of rocmProfileData, or its `rpdTracerControl` in the program'],
    read: [
      "Kernels, copies and memsets with the HIP call that launched them, including those of graphs; roctx ranges, with the ops that `emit_nvtx` of PyTorch prints; counters; the clocks of devices as samples. The tracer's own rows are skipped and counted.",
      "Schemas 2 and 3. Times count from the machine's boot, so the Unix time of the profile's start is unknown. The recorded device numbers count CPUs too, so they differ from those of monitoring tools.",
      'Grids are in blocks, whether the file counts blocks or threads. The sizes of copies in graphs, and of copies whose size exceeds 32 bits, are unknown.',
    ],
  },
  sniff: ({ database }) => ['rocpd_api', 'rocpd_op', 'rocpd_string'].every((table) => database?.has(table)),
  read(probe, options) {
    const profile = databaseTrace(probe, TIMES, ['rocpd_string', 'string', 'id']);
    const { database, trace, clock } = profile;
    // Since schema 3, arguments are strings in a separate table.
    const argsOf = database.texts(database.has('rocpd_ustring') ? 'rocpd_ustring' : 'rocpd_string', 'string', 'id');
    readCalls(profile, argsOf);
    readWork(profile, argsOf);
    const monitors = { metric: 'monitorType', kind: 'deviceType', id: 'deviceId', value: 'value', ...clock.span };
    for (const { metric, kind, id, value, ...row } of database.cells('rocpd_monitor', monitors)) {
      const [unit, scale] = String(metric).endsWith('clk') ? ['Hz', 1e6] : [null, 1];
      const labels = { [String(kind)]: Number(id) }; // These numbers differ from the device numbers of work.
      const number = value === null || value === '' ? null : Number(value) * scale;
      trace.sample({ ...row, metric: String(metric), unit, value: number, labels });
    }
    const [schema] = database.rows('rocpd_metadata', ['value'], [{ needs: ['tag'], sql: "tag = 'schema_version'" }]);
    const tool = schema === undefined ? 'rocmProfileData' : `rocmProfileData, schema ${String(schema)}`;
    return trace.records({ format: rpd.id, tool, device: { vendor: 'amd' } }, options);
  },
};

function readCalls({ database, trace, clock: { span } }: DatabaseTrace, argsOf: TextLookup): void {
  const op = { name: 'autogradName_id', seq: 'seq', id: 'op_id', sizes: 'sizes' };
  const opOf = database.joined('ext_autogradapi', 'api_ptr_id', op);
  const calls = { corr: 'id', pid: 'pid', tid: 'tid', nameId: 'apiName_id', args: 'args_id', ...span };
  for (const { nameId, args, ...row } of database.cells('rocpd_api', calls)) {
    const name = trace.textOf(nameId);
    const text = argsOf(args);
    if (name === 'UserMarker') trace.range({ ...row, text, op: STATED.test(text ?? '') ? null : opOf(row.corr) });
    else if (name !== null && TRACER.test(name)) trace.unread(name, row.start);
    else trace.call({ ...row, name });
  }
}

function readWork({ database, trace, clock: { span } }: DatabaseTrace, argsOf: TextLookup): void {
  const isSdk = database.hasColumn('rocpd_api', 'domain_id');
  const callOf = database.joined('rocpd_api_ops', 'op_id', { corr: 'api_id' });
  const apiOf = database.joined('rocpd_api', 'id', { name: 'apiName_id', args: 'args_id' });
  const extents = { gridX: 'gridX', gridY: 'gridY', gridZ: 'gridZ', x: 'workgroupX', y: 'workgroupY', z: 'workgroupZ' };
  const launches = { stream: 'stream', symbol: 'kernelName_id', ...extents };
  const launchOf = database.joined('rocpd_kernelapi', 'api_ptr_id', launches);
  // Since schema 3. Each part of the device has a row.
  const counters = new CounterSums();
  const values = { op: 'op_id', counter: 'name_id', value: 'value' };
  for (const { op, counter, value } of database.cells('rocpd_counter', values))
    counters.add(op, trace.textOf(counter), value === '' ? NaN : Number(value ?? NaN));
  const copyOf = database.joined('rocpd_copyapi', 'api_ptr_id', { stream: 'stream', bytes: 'size' });
  const ops = { id: 'id', device: 'gpuId', queue: 'queueId', name: 'description_id', typeId: 'opType_id', ...span };
  for (const { id, queue, name, typeId, ...row } of database.cells('rocpd_op', ops)) {
    const [type, { corr }] = [trace.textOf(typeId) ?? '', callOf(id)];
    const [api, launch, copy] = [apiOf(corr), launchOf(corr), copyOf(corr)];
    const handleOf = (handle: string) => new RegExp(`${handle} = (\\w+)`).exec(argsOf(api.args) ?? '')?.[1];
    const stream = hexOf(handleOf('stream') ?? launch.stream ?? copy.stream) ?? queue;
    const [work, kind] = [{ ...row, corr, stream }, copyKind(type)];
    if (KERNEL.test(type)) {
      const block = [launch.x, launch.y, launch.z];
      const unit = isSdk || OF_THREADS.test(trace.textOf(api.name) ?? '') ? block : [1, 1, 1];
      const grid = blocksOf([launch.gridX, launch.gridY, launch.gridZ], unit);
      const isNamed = trace.textOf(name) !== '' || trace.textOf(launch.symbol) === null;
      const graphId = hexOf(handleOf('graphExec'));
      trace.kernel({ ...work, name: isNamed ? name : launch.symbol, grid, block, graphId, counters: counters.of(id) });
    } else if (kind !== null || type.startsWith('MEMORY_COPY')) trace.copy({ ...work, kind, bytes: copy.bytes });
    else if (type === 'FillBuffer') trace.set(work);
    else trace.unread(`rocpd_op ${type}`, row.start);
  }
  counters.report(trace);
}
