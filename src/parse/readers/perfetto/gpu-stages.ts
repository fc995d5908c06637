/**
 * Work in Perfetto's own terms for GPUs, and the calls that submitted it, as the CUPTI monitor of PyTorch writes them.
 * Source: gpu_render_stage_event.proto of Perfetto; monitor_trace.py and monitor_pftrace.cpp of PyTorch.
 */
import { numberIn, textIn, type Slice, type SliceReading } from './slice.js';
import type { StageEvent } from './track-events.js';

const STREAM = /^stream (-?\d+)$/;

/** Adds work; other stages, such as those of graphics, are counted. */
export function takeStage(stage: StageEvent, start: number | null, reading: SliceReading): void {
  const { dur, device, args, kernel, name, grid, block } = stage;
  const [, number] = STREAM.exec(stage.queue ?? '') ?? [];
  const work = {
    ...{ start, end: start === null || dur === null ? null : start + dur, device },
    stream: numberIn(args.get('stream id') ?? number),
    context: numberIn(args.get('context id')),
    ...{ corr: numberIn(args.get('correlation')) ?? stage.id, node: numberIn(args.get('graph node id')) },
  };
  const arch = /^sm_(\d+)$/.exec(textIn(args.get('arch')) ?? '')?.[1];
  if (arch !== undefined && device !== null) reading.describe({ id: device, vendor: 'nvidia', arch: `sm${arch}` });
  const bytes = numberIn(args.get('bytes'));
  if (kernel !== null || grid !== null)
    reading.trace.kernel({
      ...{ ...work, name: kernel ?? name, grid, block, graphId: numberIn(args.get('graph id')) },
      registers: numberIn(args.get('registers_per_thread')),
      sharedBytes: numberIn(args.get('shared_mem_dynamic')),
    });
  else if (stage.stage === 'Memcpy') reading.trace.copy({ ...work, kind: null, bytes });
  else if (stage.stage === 'Memset') reading.trace.set({ ...work, bytes, value: numberIn(args.get('value')) });
  else reading.trace.unread(`GPU stage ${stage.stage ?? 'without a name'}`, start);
}

/** Adds a slice of a thread: a call that submitted work or has its correlation id, an op with shapes, or another range. */
export function takeHostSlice({ name, start, end, place, args, submitted }: Slice, { trace }: SliceReading): void {
  const row = { start, end, pid: place.pid, tid: place.tid };
  const corr = submitted ?? numberIn(args.get('correlation'));
  if (corr !== null) trace.call({ ...row, name, corr });
  else {
    const [dims, seq] = [args.get('Input Dims'), numberIn(args.get('Sequence number'))];
    const op = Array.isArray(dims) ? { name, seq, sizes: JSON.stringify(dims).replaceAll(',', ', ') } : null;
    trace.range({ ...row, text: name, op });
  }
}
