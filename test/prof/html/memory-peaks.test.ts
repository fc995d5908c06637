/** Peaks of memory on a page: what `dprof memory` says of them. */
import { expect } from 'chai';
import { pageContentsOfFile } from '../../support/pages.js';
import { runCli } from '../../support/run-cli.js';
import { itEachShared } from '../../support/shared.js';

interface Said {
  readonly device: number | null;
  readonly peak: { readonly bytes: number; readonly start: number | null; readonly step: number | null };
  readonly owners: { readonly ops: readonly object[]; readonly categories: readonly object[] } | null;
}

describe('peaks of memory on a page', () => {
  itEachShared(
    [
      'data/kineto/mi300_norm_layers_training.json.gz',
      'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db',
    ],
    ['data/kineto/h100_owlv2.json.gz', 'data/kineto/v100_resnet50_2021.json.gz'],
    (name) => `are those of dprof memory in ${name.replace('data/', '')}`,
    async (path) => {
      const { stdout } = await runCli('dprof', ['memory', '-f', 'jsonl', path]);
      const said = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Said)
        .filter((line) => !('doubts' in line));
      const [profile] = (await pageContentsOfFile(path)).data.profiles;
      const peaks = profile?.memoryPeaks ?? [];
      expect(peaks).to.have.length(said.length);
      for (const [at, { device, peak, owners }] of said.entries()) {
        expect(peaks[at]).to.include({ device, ...peak });
        expect(peaks[at]?.ops?.shown ?? null).to.deep.equal(owners?.ops.slice(0, 50) ?? null);
        expect(peaks[at]?.categories?.shown ?? null).to.deep.equal(owners?.categories.slice(0, 50) ?? null);
      }
    },
  );
});
