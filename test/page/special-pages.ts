/** Pages that hold little, much, or what links lead to. */
import { join } from 'node:path';
import type { KernelRecord } from '../../src/record/record.js';
import type { PageData } from '../../src/prof/html/page-data.js';
import { A100, profileOn } from '../support/devices.js';
import { kernel } from '../support/kernels.js';
import { annotation, frame, op, read } from '../support/kineto-trace.js';
import type { PageContents } from '../../src/prof/html/page-data.js';
import { pageContentsOf, pageContentsOfFile } from '../support/pages.js';
import { itLong } from '../support/sets.js';
import { ROOT } from '../support/shared.js';
import { FIXTURE, HOSTILE } from './fixture.js';

/** A profile of which nothing is known, as records without kernels give. */
const EMPTY: PageData = {
  ...FIXTURE,
  profiles: [
    {
      overview: {
        profile: 0,
        header: null,
        devices: [],
        kernels: null,
        memory: [],
        syncs: [],
        collectives: [],
        links: [],
        notices: [],
        steps: null,
        host: null,
        cpu: null,
        program: null,
        diagnostics: {},
      },
      isGraphCapture: false,
      diagnosticTexts: {},
      verdict: null,
      idle: { causes: [], devices: [], launches: null },
      gaps: [],
      stepBars: { shown: [], works: [], count: 0 },
      collectives: { shown: [], count: 0, restTime: 0 },
      utilisation: { start: 0, width: 0, devices: [], host: null, cpu: null },
      kernels: { shown: [], count: 0, restTime: 0 },
      ops: { shown: [], count: 0, restTime: 0, time: 0 },
      categories: [],
      sequences: [],
      regions: { shown: [], count: 0 },
      check: { verdict: 'complete', reasons: [] },
      lines: null,
      stacks: null,
      annotations: { shown: [], count: 0, restTime: 0 },
      roofline: { points: [], pointCount: 0, roofs: [] },
      layers: { shown: [], count: 0, restTime: 0 },
      memory: [],
      memoryPeaks: [],
      timeline: null,
      neuron: null,
      monitor: null,
    },
  ],
  advice: [],
  job: null,
};

/** A profile of the host alone. */
const HOST_ONLY: PageContents = pageContentsOf(
  read(
    [
      annotation('ProfilerStep#4', 0, 100),
      frame('nn.Module: Linear_0', 10, 50),
      op('aten::linear', 12, 42),
      op('aten::addmm', 15, 35),
    ],
    { ranges: true },
  ),
);

/** Kernels of a layer whose ops are unknown. */
const LINKED: PageContents = pageContentsOf([
  profileOn(A100),
  kernel({ start: 0, dur: 100, layer: ['block'] }),
  kernel({ id: 2, start: 200, dur: 300, layer: ['block'], name: HOSTILE, short: HOSTILE }),
]);

const MS = 1e6;
const stepKernel = (id: number, step: number, start: number, dur: number): KernelRecord =>
  kernel({
    id,
    step,
    start: start * MS,
    dur: dur * MS,
    launch: { api: 'cudaLaunchKernel', start: start * MS - 60, dur: 50 },
  });

/** Two steps; before the second the device waits for the loader of data, in it for a launch. */
const TIMED: PageContents = pageContentsOf(
  [
    profileOn(A100),
    stepKernel(1, 1, 1, 3),
    {
      ...{
        type: 'range',
        kind: 'annotation',
        profile: 0,
        start: 4 * MS,
        dur: 2.9 * MS,
        pid: 10,
        tid: 100,
        domain: null,
      },
      text: 'enumerate(DataLoader)',
    },
    stepKernel(2, 2, 7, 2),
    stepKernel(3, 2, 9.5, 1.5),
  ],
  { timeline: { of: 'time', from: 0, to: 20 * MS } },
);

/** Many kernels, and memory of every kind. */
const MANY: PageData = {
  ...FIXTURE,
  profiles: FIXTURE.profiles.slice(0, 1).map((profile) => ({
    ...profile,
    kernels: {
      shown: Array.from({ length: 100 }, (_, i) => ({
        name: `kernel ${i}`,
        count: 1,
        time: 1000 - i,
        max: 1,
        min: 1,
        tc: null,
        launch: null,
      })),
      ...{ count: 100, restTime: 0 },
    },
    memory: [
      { device: 0, metric: 'memory_allocated', name: 'PTA', points: [[1e6, 1e6], [5e6, 4e6]], peak: 4e6 },
      { device: 0, metric: 'memory_allocated', name: 'GE', points: [[2e6, 2e6], [3e6, 0]], peak: 2e6 },
      { device: 0, metric: 'memory_reserved', name: 'PTA', points: [[1e6, 5e6], [2e6, 5e6]], peak: 5e6 },
      { device: 0, metric: 'memory', name: 'Total', points: [], peak: 7e6 },
    ], // prettier-ignore
  })),
};

/** Kernels of which nothing but times is known. */
const UNKNOWN: PageContents = pageContentsOf([
  profileOn(A100),
  kernel({ start: 0, dur: 100, name: 'plain', short: 'plain' }),
]);

/** All of them by name, and the one with two ranks. */
export const SPECIAL_PAGES: Readonly<Record<string, PageContents>> = {
  two: { data: FIXTURE, parts: [] },
  empty: { data: EMPTY, parts: [] },
  host: HOST_ONLY,
  linked: LINKED,
  many: { data: MANY, parts: [] },
  timed: TIMED,
  unknown: UNKNOWN,
};

/** Pages of samples that are looked at as those are. */
const SAMPLE_PAGES = ['lenet.pt.trace.json.gz', 'attention.ntff', 'ascend_pytorch_profiler_0.db'] as const;

/** Three that between them have each panel with what it shows, and each that can be empty empty. */
const USUAL_PAGES: readonly string[] = ['two', 'empty', 'attention.ntff'];

/** A test of each page: of the usual ones with other tests in a browser, of the others with the long tests. */
export function itOnPages(title: string, body: (name: string) => Promise<void>): void {
  for (const name of [...Object.keys(SPECIAL_PAGES), ...SAMPLE_PAGES]) {
    (USUAL_PAGES.includes(name) ? it : itLong)(`${title}: ${name}`, () => body(name));
  }
}

/** Contents of all of them. */
export async function allPages(): Promise<Readonly<Record<string, PageContents>>> {
  const samples = await Promise.all(
    SAMPLE_PAGES.map(async (name) => [name, await pageContentsOfFile(join(ROOT, 'samples', name))] as const),
  );
  return { ...SPECIAL_PAGES, ...Object.fromEntries(samples) };
}
