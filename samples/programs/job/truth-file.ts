/** The truth about a job as JSON: its options, groups and clocks, and on request each message as a line of its own. */
import type { SimulatedJob } from './simulate.js';
import { messagesOf } from './truth.js';

/** `truth.json`. */
export function truthText(job: SimulatedJob): string {
  const ranks = job.ranks.map(({ rank, host, node, tensor, data, pipeline }) => {
    const { offsetNs, drift } = job.draws[rank]?.clock ?? { offsetNs: null, drift: null };
    return { rank, host, node, tensor, data, pipeline, clock: { offsetNs, drift } };
  });
  const groups = job.groups.map(({ name, kind, description, ranks, betweenNodes }) => ({
    name,
    kind,
    description,
    ranks,
    betweenNodes,
  }));
  const { inject, ...options } = job.options;
  return `${JSON.stringify({ inject, options, ranks, groups }, null, 1)}\n`;
}

/** `messages.jsonl`: times are true ones, in ns. */
export function* messageLines(job: SimulatedJob): Generator<string> {
  for (const { group, ...message } of messagesOf(job)) {
    yield `${JSON.stringify({ group: group.name, kindOfGroup: group.kind, ...message })}\n`;
  }
}
