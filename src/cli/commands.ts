/** What `dprof` does besides its report of kernels: `dprof COMMAND [OPTION...] [FILE...]`. A file of that name: `./NAME`. */
import type { CommandEntry } from './command.js';

/** Commands by name, each loaded when it is called. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  summary: {
    title: 'a profile on one screen: device time, kernels, copies, collectives, steps',
    load: async () => (await import('./commands/summary/summary.js')).summary,
  },
  terms: {
    title: 'what metrics, engines, queues and opcodes are called and mean',
    load: async () => (await import('./commands/terms.js')).terms,
  },
  monitor: {
    title: 'reports of neuron-monitor: table, CSV, JSON, Prometheus, CloudWatch',
    load: async () => (await import('./commands/monitor/monitor.js')).monitor,
  },
  steps: {
    title: 'time of each training step: computing, communication, neither',
    load: async () => (await import('./commands/steps.js')).steps,
  },
  ranks: {
    title: 'the ranks of a job: collectives matched, clocks aligned, who is late, why',
    load: async () => (await import('./commands/ranks/ranks.js')).ranks,
  },
  stacks: {
    title: 'device time by call stack, for FlameGraph and speedscope',
    load: async () => (await import('./commands/stacks/stacks.js')).stacks,
  },
  memory: {
    title: 'memory in use over time, its peak, and which ops held it then',
    load: async () => (await import('./commands/memory/memory.js')).memory,
  },
  diff: {
    title: 'what got slower or faster from one profile to another, tested over steps',
    load: async () => (await import('./commands/diff/diff.js')).diff,
  },
  advise: {
    title: 'what is worth doing: rules with their evidence, and what may be gained',
    load: async () => (await import('./commands/advise/advise.js')).advise,
  },
  html: {
    title: 'one page for the browser: summary, charts, advice, timeline; works offline',
    load: async () => (await import('./commands/html.js')).html,
  },
  perfetto: {
    title: 'a trace for Perfetto and chrome://tracing: devices, host, arrows, counters',
    load: async () => (await import('./commands/perfetto/perfetto.js')).perfetto,
  },
  sql: {
    title: 'one query in SQL over kernels, copies, ranges, steps; needs DuckDB',
    load: async () => (await import('./commands/sql.js')).sql,
  },
  partial: {
    title: 'what profiles add up to, in small files that merge: for jobs of many ranks',
    load: async () => (await import('./commands/partial.js')).partial,
  },
  merge: {
    title: 'files of dprof partial as one, in any order',
    load: async () => (await import('./commands/merge.js')).merge,
  },
  job: {
    title: 'many profiles by many processes: partial, merge, reports; also by Slurm',
    load: async () => (await import('./commands/job.js')).job(COMMANDS),
  },
  completion: {
    title: 'completion of commands, options and their values in bash, zsh and fish',
    load: async () => (await import('./commands/completion.js')).completion,
  },
};
