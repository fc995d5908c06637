import { expect } from 'chai';
import { DEVICE_EXAMPLES, roofText } from '../../../src/page/charts/roofline-points.js';
import { deviceNamed } from '../../../src/prof/roofline/device-choice.js';
import { peaksOf } from '../../../src/prof/roofline/peaks.js';
import { pageOf } from '../../support/pages.js';
import { A100, device, profileOn } from '../../support/devices.js';
import { kernel, mm } from '../../support/kernels.js';

/** The text below a roofline of one kernel on a device. */
function textOf(on: ReturnType<typeof device>): string {
  const { roofline } = pageOf([profileOn(on), kernel({ calls: [mm(64, 64, 64)] })]);
  return roofText(roofline.roofs[0], on.name);
}

describe('whose roofs a roofline has', () => {
  it("is the profile's device by its name in the table", () => {
    expect(textOf(A100)).to.equal('Roofs of A100 40GB.');
  });

  it('is one from its units and clock', () => {
    const made = device('Foo 9', { arch: 'sm80', units: 10, clockHz: 1e9, memBytesPerS: 1e12 });
    expect(textOf(made)).to.equal('Roofs of Foo 9, from its units and clock.');
  });

  it('is the one that was given, in place of that of the profile', () => {
    const given = deviceNamed('MI300X');
    if (given === null) throw new Error('no MI300X');
    const { name, origin, bytesPerS } = given;
    const units = [{ name: 'bf16 matrix unit', flopsPerS: 1e15 }];
    expect(roofText({ name, origin, bytesPerS, units }, 'Foo 9')).to.equal(
      'Roofs of MI300X, from --peaks, instead of Foo 9.',
    );
  });

  it('is asked for by real names where no peaks are known, or one is not', () => {
    expect(textOf(device('Foo 9'))).to.equal(
      'No roofs: the peaks of Foo 9 are unknown. dprof html --peaks NAME draws the roofs of another device, such as ' +
        '"H100 SXM" or "MI300X" (dprof --devices lists them).',
    );
    expect(textOf(device('Foo 9', { memBytesPerS: 1e12 }))).to.match(
      /; its peak FLOP\/s is unknown\. dprof html --peaks/,
    );
    expect(roofText(undefined, null)).to.match(/^No roofs: the peaks of this device are unknown\. dprof html --peaks/);
    for (const name of DEVICE_EXAMPLES) expect(deviceNamed(name)?.name, name).to.equal(name);
    expect(peaksOf(device('Foo 9')).origin).to.equal('none');
  });
});
