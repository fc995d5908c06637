#!/usr/bin/env node
import '../dist/dprof.js';
