/**
 * Reader of rpd databases from AMD's rocmProfileData: HIP calls, device work by the call that launched it, roctx
 * ranges, clocks. Times are ns since the machine started. Devices are known only by a number, and these numbers include
 * the CPUs. Source: rocmProfileData, schemas 2 and 3 and the code that writes them; databases of schema 2.
 */
import type { CopyKind } from '../../../record/record.js';
import { TraceBuilder } from '../../trace/trace-builder.js';
import { databaseOf, type Reader } from '../../reader.js';
import { DatabaseClock } from '../../sqlite/database-clock.js';
import type { Cell, SqliteFile } from '../../sqlite/sqlite.js';

const TIMES = ['rocpd_api', 'rocpd_op', 'rocpd_monitor'].map((table) => [table, 'start'] as const);
/** Operations that are kernels; a `Task` is a kernel of a graph. */
const KERNEL = /^(?:KernelExecution|Task|KERNEL_DISPATCH)/;
const COPY = /(?:Copy|COPY_)(H|D)(?:ost|OST_|evice|EVICE_)T[Oo]_?(H|D)/;
/** Overhead of the tracer itself, on its own threads or around the whole program. */
const TRACER = /::writeRows$|^(?:hcc_activity_callback|rpdflush|run_to_completion)$/;
/**
 * Launches whose grid is in threads. Other launches have a grid in blocks, except those that rocprofiler-sdk traced (schema
 * 3).
 */
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
      "Kernels, copies and memory sets with the HIP call that launched them, including those of graphs; roctx ranges, with the ops that `emit_nvtx` of PyTorch prints; the clocks of devices as samples. The tracer's own rows are skipped and counted.",
      "Schemas 2 and 3. Times count from the machine's boot, so the Unix time of the profile's start is unknown. The recorded device numbers include CPUs, so they differ from those of monitoring tools.",
      'Grids are in blocks, whether the file counts blocks or threads. Copies in graphs and copies above 32-bit size have unknown size.',
    ],
  },
  sniff: ({ database }) => ['rocpd_api', 'rocpd_op', 'rocpd_string'].every((table) => database?.has(table)),
  read(probe, options) {
    const database = databaseOf(probe);
    const trace = new TraceBuilder(database.texts('rocpd_string', 'string', 'id'));
    database.diagnostics = trace.diagnostics;
    const clock = new DatabaseClock(database, TIMES);
    readCalls(database, trace, clock);
    readWork(database, trace, clock);
    const monitors = { metric: 'monitorType', kind: 'deviceType', id: 'deviceId', value: 'value', ...clock.span };
    for (const { metric, kind, id, value, ...row } of database.cells('rocpd_monitor', monitors)) {
      const [unit, scale] = String(metric).endsWith('clk') ? ['Hz', 1e6] : [null, 1];
      const labels = { [String(kind)]: Number(id) }; // Devices have other numbers here than in the rows of work.
      trace.sample({ ...row, metric: String(metric), unit, value: Number(value) * scale, labels });
    }
    const [schema] = database.rows('rocpd_metadata', ['value'], [{ needs: ['tag'], sql: "tag = 'schema_version'" }]);
    const tool = schema === undefined ? 'rocmProfileData' : `rocmProfileData, schema ${String(schema)}`;
    return trace.records({ format: rpd.id, tool, device: { vendor: 'amd' } }, options);
  },
};

/** Since schema 3, arguments are texts in a separate table. */
const argsOf = (database: SqliteFile): ((id: Cell) => string | null) =>
  database.texts(database.has('rocpd_ustring') ? 'rocpd_ustring' : 'rocpd_string', 'string', 'id');

function readCalls(database: SqliteFile, trace: TraceBuilder, { span }: DatabaseClock): void {
  const textOf = argsOf(database);
  const op = { name: 'autogradName_id', seq: 'seq', id: 'op_id', sizes: 'sizes' };
  const opOf = database.joined('ext_autogradapi', 'api_ptr_id', op);
  const calls = { corr: 'id', pid: 'pid', tid: 'tid', nameId: 'apiName_id', args: 'args_id', ...span };
  for (const { nameId, args, ...row } of database.cells('rocpd_api', calls)) {
    const name = trace.textOf(nameId);
    if (name === 'UserMarker') trace.range({ ...row, text: textOf(args), op: opOf(row.corr) });
    else if (name !== null && TRACER.test(name)) trace.unread(name, row.start);
    else trace.call({ ...row, name });
  }
}

function readWork(database: SqliteFile, trace: TraceBuilder, { span }: DatabaseClock): void {
  const [textOf, isSdk] = [argsOf(database), database.hasColumn('rocpd_api', 'domain_id')];
  const callOf = database.joined('rocpd_api_ops', 'op_id', { corr: 'api_id' });
  const apiOf = database.joined('rocpd_api', 'id', { name: 'apiName_id', args: 'args_id' });
  const extents = { gridX: 'gridX', gridY: 'gridY', gridZ: 'gridZ', x: 'workgroupX', y: 'workgroupY', z: 'workgroupZ' };
  const launchOf = database.joined('rocpd_kernelapi', 'api_ptr_id', { stream: 'stream', ...extents });
  const copyOf = database.joined('rocpd_copyapi', 'api_ptr_id', { stream: 'stream', bytes: 'size' });
  const ops = { id: 'id', device: 'gpuId', queue: 'queueId', name: 'description_id', typeId: 'opType_id', ...span };
  for (const { id, queue, name, typeId, ...row } of database.cells('rocpd_op', ops)) {
    const [type, { corr }] = [trace.textOf(typeId) ?? '', callOf(id)];
    const [api, launch, copy] = [apiOf(corr), launchOf(corr), copyOf(corr)];
    const [, stated = launch.stream ?? copy.stream] = /stream = (\w+)/.exec(textOf(api.args) ?? '') ?? [];
    const work = { ...row, corr, stream: hexOf(stated) ?? queue };
    const [, from, to] = COPY.exec(type) ?? [];
    if (KERNEL.test(type)) {
      const block = [launch.x, launch.y, launch.z];
      const sizes = isSdk || OF_THREADS.test(trace.textOf(api.name) ?? '') ? block : [1, 1, 1];
      const grid = [launch.gridX, launch.gridY, launch.gridZ].map((n, i) => Math.ceil(Number(n) / Number(sizes[i])));
      const [, graph] = /graphExec = (\w+)/.exec(textOf(api.args) ?? '') ?? [];
      trace.kernel({ ...work, name, grid, block, graphId: hexOf(graph) });
    } else if (from !== undefined) trace.copy({ ...work, kind: `${from}to${to ?? ''}` as CopyKind, bytes: copy.bytes });
    else if (type === 'FillBuffer') trace.set(work);
    else trace.unread(`rocpd_op ${type}`, row.start);
  }
}

const hexOf = (cell: Cell | undefined): number | null => (/^0x[\da-f]+$/i.test(String(cell)) ? Number(cell) : null);
