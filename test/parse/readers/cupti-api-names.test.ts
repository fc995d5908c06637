import { expect } from 'chai';
import Database from 'better-sqlite3';
import { DRIVER_API, RUNTIME_API, apiName, type ApiDomain } from '../../../src/parse/readers/cupti/api-names.js';
import { itShared } from '../../support/shared.js';

describe('apiName', () => {
  // Ids that public profilers' sources state on their own, apart from the header.
  const known: [ApiDomain, number, string][] = [
    ['runtime', 13, 'cudaLaunch'],
    ['runtime', 31, 'cudaMemcpy'],
    ['runtime', 41, 'cudaMemcpyAsync'],
    ['runtime', 211, 'cudaLaunchKernel'],
    ['runtime', 311, 'cudaGraphLaunch'],
    ['runtime', 272, 'cudaLaunchCooperativeKernelMultiDevice'],
    ['driver', 115, 'cuLaunch'],
    ['driver', 305, 'cuMemcpy'],
    ['driver', 307, 'cuLaunchKernel'],
    ['driver', 318, 'cuMemcpyPeer'],
    ['driver', 442, 'cuLaunchKernel'],
    ['driver', 652, 'cuLaunchKernelEx'],
  ];
  for (const [domain, cbid, name] of known) {
    it(`${domain} ${cbid} is ${name}`, () => expect(apiName(domain, cbid)).to.equal(name));
  }

  it('gives the id when it is not known', () => {
    expect(apiName('runtime', 99_999)).to.equal('runtime cbid 99999');
    expect(apiName('driver', 0)).to.equal('driver cbid 0');
    expect(apiName('driver', -1)).to.equal('driver cbid -1');
    expect(apiName('runtime', 1.5)).to.equal('runtime cbid 1.5');
  });

  for (const [domain, table] of [
    ['runtime', RUNTIME_API],
    ['driver', DRIVER_API],
  ] as const) {
    it(`the ${domain} table's lines join on`, () => {
      let next = 1;
      for (const line of table.trim().split('\n')) {
        const [first, ...names] = line.split(' ');
        expect(Number(first), line).to.equal(next);
        for (const name of names) {
          expect(name).to.match(domain === 'runtime' ? /^(?:__)?cuda[A-Z]\w+$/ : /^cu\w+$/);
          expect(name).not.to.match(/_v\d+$|_pt[sd][zs]$/);
        }
        next += names.length;
      }
    });
  }

  const files: [string, [string, number][]][] = [
    ['data/nvprof/lm_v100.net.sql', [['cudaLaunchKernel', 160]]],
    ['data/nvprof/nccl_8v100.nvvp', [['cudaLaunchCooperativeKernelMultiDevice', 24]]],
    ['data/nvprof/empty_capture.net.sql', []],
    ['data/pyprof/nvprof_1000.sql', [['cudaLaunchKernel', 981]]],
  ];
  for (const [file, launches] of files) {
    itShared(`names every call in ${file}`, [file], ([path = '']) => {
      const db = new Database(path, { readonly: true });
      const count = (table: string) =>
        db.prepare<[], { cbid: number; n: number }>(`SELECT cbid, count(*) n FROM ${table} GROUP BY cbid`).all();
      for (const domain of ['runtime', 'driver'] as const) {
        for (const { cbid } of count(`CUPTI_ACTIVITY_KIND_${domain.toUpperCase()}`)) {
          expect(apiName(domain, cbid)).to.match(/^cu\w+$/);
        }
      }
      const joined = count(
        'CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL JOIN CUPTI_ACTIVITY_KIND_RUNTIME USING (correlationId)',
      );
      expect(joined.map(({ cbid, n }) => [apiName('runtime', cbid), n])).to.deep.equal(launches);
      db.close();
    });
  }
});
