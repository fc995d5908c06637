import { expect } from 'chai';
import { kernel } from '../support/kernels.js';
import { runCli } from '../support/run-cli.js';

describe('dprof --explain', () => {
  it('shows what an instruction works on and waited for', async () => {
    const at = (id: number, start: number, operands: string): object => ({
      ...kernel({ id, start, dur: 5, name: 'COPY', short: 'COPY', labels: { id: `9${id}` } }),
      ...{ engine: 'Scalar', operands, after: id === 1 ? [] : [{ id: '91', kind: 'flow' }] },
    });
    const records = [at(1, 10, 'S[4] (Scalar)++@complete'), at(2, 20, 'S[4] (Scalar)>=1 src=fp32@0x40[1][8]')];
    const input = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const { stdout } = await runCli('dprof', ['--explain', '2'], { input });
    expect(stdout).to.include(
      [
        'operands   waits until  S[4] (Scalar) >=1',
        '           pattern      src=fp32@0x40[1][8]: 8 elements, 32 bytes of a partition of SBUF (8 by 1)',
        'after      flow: 1 COPY (Scalar), ended 5 ns before; S[4] (Scalar)',
      ].join('\n'),
    );
  });
});
