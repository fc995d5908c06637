import { expect } from 'chai';
import { NsightDatabase } from '../../../support/nsight-database.js';
import { NvprofDatabase } from '../../../support/nvprof-database.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';

const factOf = (path: string): unknown => headerOf(path).facts?.['failed_calls'];

/** Launches 1 and 4 have kernels; 2 and 3 of four launches between them have none, 2 because it failed. */
const nsight = (returned: number): NsightDatabase =>
  new NsightDatabase()
    .launch(1, [])
    .call({ start: 200, end: 210 }, 2, { returnValue: returned })
    .call({ start: 300, end: 310 }, 3)
    .launch(4, []);

describe('failed calls', () => {
  it('of Nsight Systems are named with their code, and a launch among them has no work to miss', () => {
    const failed = nsight(701).write();
    expect(diagnosticsOf(failed)).to.deep.equal({ 'call-failed': 1, 'launch-without-work': 1 });
    expect(factOf(failed)).to.equal('cudaLaunchKernel 701 (1)');
    expect(diagnosticsOf(nsight(0).write())).to.deep.equal({ 'launch-without-work': 2 });
  });

  it('no time of a device is unknown after a launch that failed', () => {
    const db = new NsightDatabase().launch(1, []).launch(4, []);
    const samples = (path: string): number => recordsOf(path).filter(({ type }) => type === 'sample').length;
    for (const name of ['cuLaunchKernel', 'cudaGraphLaunch_v10000']) {
      expect(samples(db.call({ start: 200, end: 210 }, 2, { returnValue: 1 }, name).write()), name).to.equal(0);
    }
    expect(samples(db.call({ start: 300, end: 310 }, 3).write())).to.equal(1);
  });

  it('of nvprof likewise, of the runtime and the driver', () => {
    // 307 of the driver is cuLaunchKernel, 155 of the runtime cudaDeviceEnablePeerAccess.
    const driver = { table: 'CUPTI_ACTIVITY_KIND_DRIVER', cbid: 307, returnValue: 1 };
    const db = new NvprofDatabase().launch(1, []).call(200, 210, 2, driver).launch(4, []);
    for (const corr of [11, 12]) db.call(10 * corr, 10 * corr + 1, corr, { cbid: 155, returnValue: 217 });
    const path = db.write();
    expect(diagnosticsOf(path)).to.deep.equal({ 'call-failed': 3 });
    expect(factOf(path)).to.equal('cudaDeviceEnablePeerAccess 217 (2), cuLaunchKernel 1 (1)');
  });

  it('are none that give the error of an earlier call, answer a question, or find their work done', () => {
    const others = [
      ['cudaGetLastError_v3020', 700],
      ['cudaPeekAtLastError', 700],
      ['cudaEventQuery_v3020', 600],
      ['cudaStreamQuery', 34],
      ['cudaDeviceEnablePeerAccess', 704],
      ['cuCtxDisablePeerAccess', 705],
      ['cudaHostRegister', 61],
      ['hipHostUnregister', 713],
      ['cuPointerGetAttribute', 1],
      ['cuGetProcAddress_v2', 500],
      ['cuModuleGetGlobal_v2', 500],
    ] as const;
    const db = new NsightDatabase().launch(1, []);
    others.forEach(([name, returnValue], n) =>
      db.call({ start: 200 + n, end: 201 + n }, 30 + n, { returnValue }, name),
    );
    // 13 is a call of EGL, which returns 1 for success.
    db.call({ start: 300, end: 301 }, 20, { eventClass: 13, returnValue: 1 }, 'eglSwapBuffers');
    expect(diagnosticsOf(db.write())).to.deep.equal({});
    db.call({ start: 400, end: 401 }, 21, { returnValue: 700 }, 'cudaEventQuery_v3020');
    db.call({ start: 402, end: 403 }, 22, { returnValue: 1 }, 'cudaHostRegister');
    expect(factOf(db.write())).to.equal('cudaEventQuery 700 (1), cudaHostRegister 1 (1)');
  });
});
