/**
 * Slices of AMD's tracers, by category. Source: generatePerfetto.cpp and cxx/perfetto.hpp of rocprofiler-sdk;
 * perfetto_processor.cpp of rocprof-sys.
 */
import { agentNumber } from '../../amd/agents.js';
import { blocksOf, copyKind, inNameOrder, kernelName } from '../../amd/work-rows.js';
import { numberIn, textIn, type Slice, type TakeSlice } from './slice.js';
import type { ArgValue } from './track-events.js';

/** Arguments of kernels that are not counters. */
const NO_COUNTERS: ReadonlySet<string> = new Set([
  ...['begin_ns', 'end_ns', 'delta_ns', 'kind', 'operation', 'agent', 'agent_type', 'corr_id', 'ancestor_id', 'queue'],
  ...['tid', 'kernel_id', 'dispatch_id', 'stream_ID', 'stream_id', 'workgroup_size', 'grid_size'],
  ...['Scratch_Size', 'LDS_Block_Size', 'VGPR_Count', 'Accum_VGPR_Count', 'SGPR_Count'],
  ...['private_segment_size', 'group_segment_size'],
]);

const kernel: TakeSlice = (slice, { trace }) => {
  const { args } = slice;
  const counters = Object.fromEntries(
    [...args].flatMap(([name, value]) => (NO_COUNTERS.has(name) || typeof value !== 'number' ? [] : [[name, value]])),
  );
  const block = extentIn(args.get('workgroup_size'));
  const grid = extentIn(args.get('grid_size'));
  trace.kernel({
    ...workOf(slice, agentIn(args.get('agent'))),
    name: kernelName(slice.name),
    ...{ grid: grid === null || block === null ? null : blocksOf(grid, block), block },
    registers: numberIn(args.get('VGPR_Count')),
    sharedBytes: numberIn(args.get('LDS_Block_Size') ?? args.get('group_segment_size')),
    ...(Object.keys(counters).length === 0 ? undefined : { counters: inNameOrder(counters) }),
  });
};

const copy: TakeSlice = (slice, { trace }) => {
  const { args, name } = slice;
  const source = agentIn(args.get('src_agent') ?? args.get('src_agent_id'));
  const target = agentIn(args.get('dst_agent') ?? args.get('dst_agent_id'));
  const kind = copyKind(name ?? '', source !== target);
  const bytes = numberIn(args.get('copy_bytes') ?? args.get('bytes'));
  trace.copy({ ...workOf(slice, kind === 'DtoH' ? source : target), kind, bytes });
};

/** Work that rocprof-sys groups by stream has one category, whatever it is. */
const onStream: TakeSlice = (slice, reading) => {
  const { name, args, start } = slice;
  if (args.has('dispatch_id') || args.has('kernel_id')) kernel(slice, reading);
  else if (/copy/i.test(name ?? '')) copy(slice, reading);
  else if (/scratch/i.test(name ?? '')) reading.trace.unread(name ?? '', start);
  else kernel(slice, reading);
};

const call: TakeSlice = ({ name, start, end, place, args }, { trace }) => {
  const thread = { pid: place.pid, tid: numberIn(args.get('tid')) ?? place.tid };
  trace.call({ start, end, ...thread, name, corr: numberIn(args.get('corr_id')) });
};

const range: TakeSlice = ({ name, start, end, place, args }, { trace }) => {
  trace.range({ start, end, pid: place.pid, tid: numberIn(args.get('tid')) ?? place.tid, text: name });
};

/** Slices on the streams and queues of a device. The track states the device if the slice does not. */
const workOf = ({ start, end, place, args }: Slice, agent: number | null) => ({
  ...{ start, end, device: agent ?? place.device, corr: numberIn(args.get('corr_id')) },
  stream: place.stream ?? numberIn(args.get('stream_ID') ?? args.get('stream_id') ?? args.get('queue')),
});

const agentIn = (value: ArgValue | undefined): number | null =>
  typeof value === 'string' ? agentNumber(value) : numberIn(value);

/** Three extents in `(64,1,1)`; unknown in traces of rocprofv3, which writes only their product. */
function extentIn(value: ArgValue | undefined): number[] | null {
  const numbers = (textIn(value)?.match(/\d+/g) ?? []).map(Number);
  return numbers.length === 3 ? numbers : null;
}

const APIS = ['hip', 'hsa', 'rccl', 'rocdecode', 'rocjpeg', 'rocshmem', 'hipfile'];

/** What each category holds; those of rocprof-sys begin with `rocm_`. */
export const AMD_SLICES: Readonly<Record<string, TakeSlice>> = {
  ...Object.fromEntries(
    Object.entries({
      ...Object.fromEntries(APIS.map((api) => [`${api}_api`, call])),
      ...{ kernel_dispatch: kernel, memory_copy: copy, marker_api: range },
    }).flatMap(([category, take]) => [
      [category, take],
      [`rocm_${category}`, take],
    ]),
  ),
  ...{ rocm_hip_stream: onStream },
};

/** Categories of rocprof-sys for the program itself, which other writers may have too. */
export const HOST_SLICES: Readonly<Record<string, TakeSlice>> = Object.fromEntries(
  ['host', 'user', 'python', 'mpi', 'openmp', 'ompt', 'kokkos'].map((name) => [name, range]),
);
