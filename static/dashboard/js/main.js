// The one entry point: every other module is loaded from here, once.
import "./ministrip.js";
import { startChrome } from "./chrome.js";
import { startKeys } from "./keys.js";
import { startReplay } from "./replay.js";
import { startTimes } from "./time.js";

startTimes();
startKeys();
startChrome();

const replay = document.querySelector("[data-replay]");
if (replay) startReplay(replay);
