/** What a panel without content says to record: nothing that was given already. */
import { expect } from 'chai';
import { lacking } from '../../src/page/capture-hints.js';

type View = Parameters<typeof lacking>[0];
const viewOf = (format: string, facts: Readonly<Record<string, string>>): View =>
  ({ profile: { overview: { program: null, header: { format, facts } } } }) as unknown as View;

const WANTED = ['annotations', 'layers', 'shapes'] as const;

describe('hints of panels without content', () => {
  it('ask for the program of a device trace, and not for one that was given', () => {
    for (const wanted of WANTED) {
      if (wanted !== 'shapes') expect(lacking(viewOf('ntff', {}), wanted)).to.match(/NEFF/);
      const withProgram = lacking(viewOf('ntff', { compilerVersion: '2.23' }), wanted);
      expect(withProgram).to.match(/neuron-profile view/);
      expect(withProgram).to.not.match(/NEFF/);
    }
  });

  it('ask for the JSON where operands of a device trace are not known: its program does not have them', () => {
    expect(lacking(viewOf('ntff', {}), 'shapes'))
      .to.match(/neuron-profile view/)
      .and.not.match(/NEFF/);
  });
});
