/** Tables about answers, by schema: what may be left out last, and what they are about. */

/**
 * Keys of answers that hold lists or objects, by schema, in the order in which `--max-chars` keeps them: the most important
 * first. Other keys follow in the order of the document.
 */
export const IMPORTANCE: Readonly<Record<string, readonly string[]>> = {
  summary: [
    'devices',
    'devices.gaps',
    'devices.engines',
    'kernels.byTime',
    'steps.device',
    'steps.host',
    'notices',
    'diagnostics',
    'kernels.work',
    'kernels.work.bounds',
    'kernels.matrixUnit',
    'kernels.precision',
    'kernels.unattributed.reasons',
    'memory',
    'collectives',
    'host',
    'cpu',
    'program',
    'metrics',
    'warnings',
    'syncs',
    'links',
    'annotations',
    'launches.latency',
    'ops.threads',
    'steps.list',
    'header',
    'kernels.byCount',
    'utilisation',
  ],
  explanation: [
    'values',
    'values.inputs',
    'work',
    'calls',
    'layer',
    'trace',
    'matrixUnit',
    'peaks',
    'launch',
    'forward',
  ],
  'critical-path': ['bounds', 'missing', 'path'],
  ranks: [
    'doubts',
    'withoutWork',
    'missing',
    'stragglers',
    'latest',
    'stragglers.reasons',
    'delays',
    'slowGroups',
    'ranks',
    'groups',
    'collectives',
    'stages',
    'experts',
    'late',
    'steps',
    'loads',
  ],
  overlap: ['kinds.both'],
  memory: ['peak', 'owners', 'kept', 'segments', 'series'],
  check: ['reasons'],
  diff: ['doubts', 'errors', 'notes', 'heading', 'keys'],
  advise: ['gain', 'evidence', 'kernels', 'parts', 'details', 'at'],
};

/**
 * Keys to which objects in answers are reduced, by schema and path, when `--max-chars` would otherwise leave one of these
 * objects out.
 */
export const ESSENTIAL: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  summary: {
    devices: ['device', 'name', 'span', 'busy', 'idle', 'compute', 'communication', 'memory'],
    kernels: ['count', 'time'],
    'kernels.byTime': ['name', 'count', 'time'],
  },
};

/** What each answer is about, by schema, as `cannot` names it. */
export const SUBJECTS: Readonly<Record<string, string>> = {
  kernels: 'kernels',
  groups: 'groups of kernels',
  explanation: 'numbers of the kernel',
  host: 'CPU events',
  summary: 'a summary',
  steps: 'steps',
  regions: 'regions of steps',
  'critical-path': 'a critical path',
  ranks: 'a comparison of ranks',
  sequences: 'sequences of kernels',
  overlap: 'overlap of work',
  'overlap-measured': 'measured use of the GPU',
  queues: 'queues of launches',
  'queue-points': 'queues over time',
  stacks: 'time by stack',
  memory: 'memory in use',
  diff: 'a comparison',
  check: 'completeness of the profile',
  advise: 'advice',
  terms: 'meaning of terms',
  monitor: 'values of reports',
  'monitor-stats': 'statistics of reports',
  sql: 'the result of the query',
  'sql-tables': 'tables for queries',
};
