#!/usr/bin/env node
import '../dist/dparse.js';
