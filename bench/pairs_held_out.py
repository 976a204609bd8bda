"""Twenty more problems, from other trades: nothing in the product was chosen by looking at them."""

from bench.pairs import Pair

HELD_OUT = (
    Pair(
        "The label printer in the warehouse skips every second label since the new rolls arrived.",
        "The gap sensor was calibrated for the old rolls with a gap of 3 mm. Hold the feed button for five seconds to calibrate it anew. Set the media type to gap and not to black mark in the driver. Clean the sensor with isopropyl alcohol once a month.",
        "Half of our stickers come out blank after we changed the supplier of the paper.",
    ),
    Pair(
        "Our quarterly report shows revenue twice for customers who moved to another branch office.",
        "The join with the branch table has no end date, so each move adds a row. Join on valid_from and valid_to, and keep the row that held at the date of the invoice. Compare the sum with the general ledger before it is sent. The difference of the second quarter was 41,200 euros.",
        "Why are the sales figures counted double when a client was reassigned to a different location?",
    ),
    Pair(
        "Video calls freeze every few minutes for colleagues who work from home over the VPN.",
        "All traffic goes through the tunnel, and the gateway drops UDP when it is busy. Exclude the address ranges of the meeting service with a split tunnel. Lower the MTU of the tunnel to 1380. Mark the voice packets with DSCP 46 on the office router.",
        "People in their home office have stuttering meetings. What could help?",
    ),
    Pair(
        "Customers cannot redeem gift vouchers that were bought before the shop moved to the new checkout.",
        "The old vouchers have codes of twelve signs, and the new form takes ten only. Accept both lengths, and look the old ones up in the table voucher_legacy. Import their rest values with the script of the migration. Extend the validity of all by three months.",
        "Old coupons are refused at payment since the relaunch of our store.",
    ),
    Pair(
        "The heating in the north wing stays cold in the morning although the schedule starts at five.",
        "The schedule runs in UTC, so it starts an hour or two late. Set the zone of the controller to local time. Bleed the radiators on the third floor, where air had gathered. Raise the flow temperature to 55 degrees below minus five outside.",
        "Offices on one side of the building are freezing before work. The timer seems right.",
    ),
    Pair(
        "The screen reader jumps over the error messages of our registration form.",
        "The messages appear in an element that nobody announces. Give it role alert and tie each message to its field with aria-describedby. Move the focus to the first field in error after the form was sent. Test it with NVDA and with VoiceOver.",
        "Blind users do not learn what they filled in wrongly when they sign up.",
    ),
    Pair(
        "Our chatbot answers in English although customers write in Polish.",
        "The system prompt is English and outweighs a short question. Detect the language of the message and name it in the prompt. Keep the examples in the prompt in the same language. Measure it weekly with 200 sampled conversations.",
        "The assistant replies in the wrong tongue to people from Warsaw.",
    ),
    Pair(
        "The nightly backup of the file server no longer finishes before the working day begins.",
        "A full backup runs each night over one gigabit. Switch to incremental ones on weekdays and a synthetic full one on Sunday. Exclude the folder of the scanner's raw images. Run four streams at once, and start at 20:00.",
        "Saving all documents takes so long that it is still running when people arrive.",
    ),
    Pair(
        "Drivers see the wrong delivery address when a customer changes it after the order was packed.",
        "The app keeps the address in its cache for twelve hours. Send a push message with the order's id when an address changes, and have the app load it anew. Print the label at loading and not at packing. Show the time of the last update on the screen.",
        "Couriers go to an outdated place if somebody corrects the destination late.",
    ),
    Pair(
        "The unit tests pass on laptops and fail on the build server with a font missing.",
        "The image has no fonts beside DejaVu. Install fonts-liberation in the image of the job. Render the charts with a bundled font in tests, so that sizes do not depend on the machine. Compare pictures with a tolerance of 2 percent.",
        "Tests are green locally and red in CI because a typeface is not there.",
    ),
    Pair(
        "The solar panels on the roof deliver a third less power than last summer.",
        "One string is shaded by the new chimney in the afternoon. Move its two lowest modules to the east side. The fuse of string 4 was blown as well: replace it with one of 15 A. Have the panels washed in spring.",
        "Our photovoltaic yield has dropped a lot compared to the year before.",
    ),
    Pair(
        "The payroll program rejects employees whose family name has an apostrophe.",
        "The import checks names with letters and hyphens only. Allow U+0027 and U+2019 in the rule, and store the name as it is in the passport. Escape the sign in the file for the bank, which takes no apostrophes. O'Brien and D'Angelo are in the test data now.",
        "Staff called O'Neill cannot get their salary entered in the software.",
    ),
    Pair(
        "Our marketing emails are not opened any more since the preview text shows the unsubscribe link.",
        "Mail programs show the first text that they find. Put a hidden preheader of 90 signs before everything else. Move the link into the footer. The share of opened mails rose from 14 to 22 percent.",
        "The snippet beneath the subject line scares readers of our campaigns away.",
    ),
    Pair(
        "The robot arm on line 3 stops with a following error when it picks up the heavy parts.",
        "The payload in its settings is 4 kg, and the part weighs 7. Set the payload and its centre of mass for each gripper. Lower the acceleration to 60 percent for this product. Check the belt of axis 2 for wear at the next service.",
        "A machine in production halts as soon as it lifts large pieces.",
    ),
    Pair(
        "Students can see the answers of the online exam in the source code of the page.",
        "The questions are sent with a flag that marks the right one. Send only texts and ids to the browser, and mark on the server. Sign the state of the exam, so that nobody replays it. Have the exams of last week repeated.",
        "Solutions of the test leak to pupils who open the developer tools.",
    ),
    Pair(
        "The coffee machine in the kitchen shows descaling needed right after it was descaled.",
        "The counter is only reset if the rinse at the end runs through to its last step. Start the program again and fill the tank up to the line when it asks for it. Set the hardness of the water to 3. After that the note stays away for two months.",
        "The espresso maker keeps asking for lime removal although we just did it.",
    ),
    Pair(
        "Translations of our app are cut off on buttons in German and Finnish.",
        "The buttons have a fixed width that was made for English. Let them grow with their text, and wrap at two lines. Run the tests with pseudo-translations that are 40 percent longer. Ask the translators for short forms where there is no room.",
        "Long words do not fit into the controls of the localized user interface.",
    ),
    Pair(
        "The museum's audio guide plays the wrong track next to the Egyptian room.",
        "Two Bluetooth beacons overlap at the door. Lower the sending power of beacon 17 to minus 12 dBm. Let the app switch only if a signal was the strongest for four seconds. Hang beacon 18 on the inner wall.",
        "Visitors hear the explanation of another exhibit when they come to the mummies.",
    ),
    Pair(
        "The accounting export has amounts with a point instead of a comma, and the tax office refuses it.",
        "The export uses the locale of the server, which is en_US. Write numbers in the format of the interface description, independent of the locale. Add a check of the file against its schema before the upload. Correct the files of May and June.",
        "Authorities send our bookkeeping file back because of its decimal separator.",
    ),
    Pair(
        "The bees in hive 6 have left twice this spring although there was plenty of room.",
        "The queen was three years old, and the brood nest was full of pollen. Replace the queen with a young one in May. Give two frames of foundation in the middle of the nest. Look for swarm cells every seven days until July.",
        "One of our colonies keeps swarming. What can a beekeeper do against it?",
    ),
)
