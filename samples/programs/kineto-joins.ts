/** What joins the events of a trace: launches to ops, device work to launches, backward nodes to forward ops. */
import type { HostEvent, KinetoCapture } from './kineto-run.js';
import type { ApiCall, CopyRun, KernelRun, SetRun, WaitRun } from './timeline.js';

/** Work on the device, of any kind. */
export type DeviceRun =
  | { readonly kind: 'kernel'; readonly run: KernelRun }
  | { readonly kind: 'copy'; readonly run: CopyRun }
  | { readonly kind: 'set'; readonly run: SetRun }
  | { readonly kind: 'wait'; readonly run: WaitRun };

/** All work in order of start time; waits of the host are no work, and come last. */
export function deviceRuns({ timeline: { kernels, copies, sets, waits } }: KinetoCapture): DeviceRun[] {
  const work: DeviceRun[] = [
    ...kernels.map((run) => ({ kind: 'kernel' as const, run })),
    ...copies.map((run) => ({ kind: 'copy' as const, run })),
    ...sets.map((run) => ({ kind: 'set' as const, run })),
  ];
  work.sort((a, b) => a.run.start - b.run.start);
  return [...work, ...waits.map((run) => ({ kind: 'wait' as const, run }))];
}

const encloses = (event: HostEvent, call: ApiCall): boolean =>
  event.thread === call.thread && event.start <= call.start && call.end <= event.end;

/** The innermost op around each call, by correlation. */
export function opsOfCalls({ timeline, events }: KinetoCapture): Map<number, HostEvent> {
  const ops = events.filter(({ kind }) => kind === 'op');
  const found = new Map<number, HostEvent>();
  for (const call of timeline.calls) {
    const op = ops.findLast((event) => encloses(event, call));
    if (op !== undefined) found.set(call.correlation, op);
  }
  return found;
}

/** The shadow of an annotation on a stream: from the first to the last piece of work launched within it. */
export interface Shadow {
  readonly annotation: HostEvent;
  readonly stream: number;
  readonly start: number;
  readonly end: number;
}

export function shadows(capture: KinetoCapture): Shadow[] {
  const runs = deviceRuns(capture).filter(({ kind }) => kind !== 'wait');
  return capture.events
    .filter(({ kind }) => kind === 'annotation')
    .flatMap((annotation) => {
      const calls = capture.timeline.calls.filter((call) => encloses(annotation, call));
      const launched = new Set(calls.map(({ correlation }) => correlation));
      const own = runs.map(({ run }) => run).filter(({ correlation }) => launched.has(correlation));
      return [...new Set(own.map(({ stream }) => stream))].map((stream) => {
        const there = own.filter((run) => run.stream === stream);
        const [start, end] = [Math.min(...there.map((run) => run.start)), Math.max(...there.map((run) => run.end))];
        return { annotation, stream, start, end };
      });
    });
}

/** Each backward node that the engine evaluated with its forward op: the last one with its sequence number. */
export function forwardOps({ events }: KinetoCapture): [node: HostEvent, forward: HostEvent][] {
  const forward = new Map<number, HostEvent>();
  for (const event of events) if (event.autograd?.forwardThread === 0) forward.set(event.autograd.seq, event);
  return events.flatMap((node): [HostEvent, HostEvent][] => {
    if (node.autograd?.forwardThread !== 1 || node.inputs === null) return [];
    const op = forward.get(node.autograd.seq);
    return op === undefined ? [] : [[node, op]];
  });
}
