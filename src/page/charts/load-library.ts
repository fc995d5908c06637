/** Loads the library of charts when the first chart is drawn: a script that the page holds as text until then. */
import type { init } from 'echarts/core';
import { element } from '../document/dom-elements.js';

interface ChartLibrary {
  readonly init: typeof init;
}

/** Set by chart-library.ts. */
const loaded = (): ChartLibrary | undefined => (globalThis as { readonly chartLibrary?: ChartLibrary }).chartLibrary;

/** @throws Error when the page has no such script: a fault of its writer */
export function chartLibrary(): ChartLibrary {
  const known = loaded();
  if (known !== undefined) return known;
  const script = element('script');
  // An inserted script runs at once; the page's policy allows this text.
  script.text = document.getElementById('charts')?.textContent ?? '';
  document.head.append(script);
  script.remove();
  const library = loaded();
  if (library === undefined) throw new Error('the page lacks its library of charts');
  return library;
}
