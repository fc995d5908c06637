/**
 * What charts use of Apache ECharts, bundled as a script of its own: it is larger than the rest of the page's program,
 * which need not wait until it is compiled.
 */
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, LineChart, ScatterChart, GridComponent, TooltipComponent, SVGRenderer]);

Object.assign(globalThis, { chartLibrary: { init } });
