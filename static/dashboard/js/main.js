// The one entry point: every other module is loaded from here, once.
import "./ministrip.js";
import { startChrome } from "./chrome.js";
import { startCopy } from "./copy.js";
import { startKeys } from "./keys.js";
import { startReplay } from "./replay.js";
import { startTail } from "./tail.js";
import { startTimes } from "./time.js";

startTimes();
startKeys();
startChrome();
startCopy();

const replay = document.querySelector("[data-replay]");
if (replay) startReplay(replay);

const tail = document.querySelector("[data-tail-toggle]");
if (tail) startTail(tail);
